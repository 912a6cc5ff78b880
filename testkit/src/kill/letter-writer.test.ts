import { expect, test } from "vitest";
import { compareLetters, type Letter } from "./letter-writer.ts";

const letter = (change: Partial<Letter>): Letter => ({
  jobId: "a",
  subject: "Letter 1",
  to: ["to@x.example"],
  cc: [],
  bcc: ["bcc@x.example"],
  files: [],
  undoAfterMs: null,
  state: "queued",
  ...change,
});
const copy = (recipient: string, message = "Letter 1") => ({ recipient, message, at: 1 });
const read = async (message: string) => ({
  subject: message.split("\n")[0] ?? "",
  to: ["to@x.example"],
  cc: [],
  files: [],
});

test("what was lost, sent though undone, repeated, or is not the letter is found", async () => {
  const compare = (one: Letter, ...copies: ReturnType<typeof copy>[]) => compareLetters([one], copies, read);
  const nothing = { lost: [], sentThoughUndone: [], repeated: [], damaged: [] };
  const [to, bcc] = [copy("to@x.example"), copy("bcc@x.example")];
  expect(await compare(letter({}), to, bcc)).toEqual(nothing);
  expect(await compare(letter({}), to)).toEqual({ ...nothing, lost: ["bcc@x.example"] });
  expect(await compare(letter({ state: "undone" }))).toEqual(nothing);
  expect(await compare(letter({ state: "undone" }), bcc)).toEqual({ ...nothing, sentThoughUndone: ["bcc@x.example"] });
  expect(await compare(letter({}), to, bcc, to)).toEqual({
    ...nothing,
    repeated: [{ recipient: "to@x.example", at: [1, 1] }],
  });
  const telling = copy("to@x.example", "Letter 1\nBcc: bcc@x.example");
  for (const wrong of [copy("to@x.example", "Letter 2"), telling])
    expect(await compare(letter({}), wrong, bcc)).toEqual({ ...nothing, damaged: ["to@x.example"] });
  const file = { name: "a.bin", bytes: Buffer.from("a") };
  expect((await compare(letter({ files: [file] }), to, bcc)).damaged).toHaveLength(2);
});

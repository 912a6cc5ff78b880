import { expect, test } from "vitest";
import { packDraft, unpackDraft } from "./draft-value.ts";

const through = (value: unknown) => {
  const { json, files } = packDraft(value);
  return unpackDraft(JSON.parse(JSON.stringify(json)), files);
};

test("plain values, dates and objects with a property $ come back as they were", () => {
  const value = {
    to: ["a@b.example"],
    at: new Date(5),
    none: null,
    price: { $: "date", ms: 1 },
    deep: [{ a: [1, ""] }],
  };
  expect(through(value).value).toEqual(value);
});

test("a file that is named twice is stored once, and comes back with its name and type", async () => {
  const file = new File(["text"], "plan.txt", { type: "text/plain", lastModified: 7 });
  const blob = new Blob(["more"], { type: "x/y" });
  const value = { files: [file, blob], first: file };
  expect(packDraft(value).files).toEqual([file, blob]);
  const back = through(value);
  const { files, first } = back.value as typeof value;
  expect(back.files).toEqual(files);
  expect(first).toBe(files[0]);
  expect(first).toMatchObject({ name: "plan.txt", type: "text/plain", lastModified: 7 });
  expect([await first.text(), await files[1]?.text(), files[1]?.type]).toEqual(["text", "more", "x/y"]);
});

test("without one of its files a draft is not read", () => {
  expect(() => unpackDraft(packDraft([new Blob(["x"])]).json, [])).toThrow("missing");
});

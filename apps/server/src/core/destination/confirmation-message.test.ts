import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { confirmationMessage } from "./confirmation-message.ts";

const token = "a".repeat(32);
const made = (mailbox: string) =>
  confirmationMessage({
    from: "no-reply@kauke.test",
    mailbox,
    origin: "https://kauke.test",
    token,
    messageId: "<1@kauke.test>",
    boundary: "b0undary",
    at: new Date("2026-03-10T12:00:00Z"),
  }).toString("utf8");

it("contains both links in text and HTML, and is marked as automatic", () => {
  const text = made("ann@example.org");
  const [plain = "", html = ""] = text.split("text/html");
  for (const link of [`https://kauke.test/confirm/${token}`, `https://kauke.test/confirm/${token}/not-mine`]) {
    expect(plain).toContain(`\r\n${link}\r\n`);
    expect(html).toContain(`<a href="${link}">`);
  }
  expect(text).toContain("\r\nAuto-Submitted: auto-generated\r\n");
  expect(text).toContain("\r\nFrom: Kauke <no-reply@kauke.test>\r\n");
  expect(text.split("\r\n").every((line) => line.length <= 200 && !line.includes("\n"))).toBe(true);
});

it("is the same whatever the plus tag of the mailbox, so it repeats no text of a stranger", () => {
  const word = randomBytes(6).toString("hex");
  expect(made(`ann+${word}@example.org`)).toBe(made("ann@example.org"));
  expect(made(`${word}@example.org`)).toContain(word);
});

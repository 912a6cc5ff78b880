import { expect, it } from "vitest";
import { accountMessage } from "./account-message.ts";

const token = "a".repeat(32);
const origin = "https://kauke.test";
const head = {
  ...{ from: "no-reply@kauke.test", mailbox: "ann+words@example.org", messageId: "<1@kauke.test>" },
  ...{ boundary: "b0undary", at: new Date("2026-03-10T12:00:00Z") },
};

it.each([
  [{ kind: "reset", origin, token } as const, `${origin}/reset#${token}`],
  [{ kind: "email", origin, token } as const, `${origin}/confirm-email#${token}`],
  [{ kind: "password_changed", origin } as const, `${origin}/forgot`],
])("$kind: the link stands in both forms, on a line of its own, and nothing of a tag is repeated", (message, link) => {
  const text = accountMessage(message, head).toString("latin1");
  const [plain = "", html = ""] = text.split("text/html");
  expect(plain).toContain(`\r\n${link}\r\n`);
  expect(html).toContain(`<a href="${link}">`);
  expect(text).toContain("\r\nTo: ann@example.org\r\n");
  expect(text).toContain("\r\nAuto-Submitted: auto-generated\r\n");
  expect(text).not.toContain("words");
  expect(text.split("\r\n").every((line) => line.length <= 200 && /^[\x20-\x7e]*$/.test(line))).toBe(true);
});

import { expect, it } from "vitest";
import { accountMessage } from "./account-mail.ts";

const token = "a".repeat(32);
const origin = "https://kauke.test";
const head = {
  from: "no-reply@kauke.test",
  mailbox: "ann+words@example.org",
  messageId: "<1@kauke.test>",
  boundary: "b0undary",
  at: new Date("2026-03-10T12:00:00Z"),
};

it.each([
  [{ kind: "reset", origin, token } as const, `${origin}/reset#${token}`],
  [{ kind: "email", origin, token } as const, `${origin}/confirm-email#${token}`],
  [{ kind: "new-email", origin, token } as const, `${origin}/new-email#${token}`],
  [{ kind: "password_changed", origin } as const, `${origin}/forgot`],
  [{ kind: "way_linked", way: "wallet", origin } as const, `${origin}/forgot`],
  [{ kind: "way_removed", way: "google", origin } as const, `${origin}/forgot`],
])("$kind: text and HTML both contain the link, and the plus tag of the address appears nowhere", (message, link) => {
  const text = accountMessage(message, head).toString("latin1");
  const [plain = "", html = ""] = text.split("text/html");
  expect(plain).toContain(`\r\n${link}\r\n`);
  expect(html).toContain(`<a href="${link}">`);
  expect(text).toContain("\r\nTo: ann@example.org\r\n");
  expect(text).toContain("\r\nAuto-Submitted: auto-generated\r\n");
  expect(text).not.toContain("words");
  expect(text.split("\r\n").every((line) => line.length <= 200 && /^[\x20-\x7e]*$/.test(line))).toBe(true);
});

it("the notice of a changed e-mail has no link, since its address can no longer sign in", () => {
  const text = accountMessage({ kind: "email_changed", origin }, head).toString("latin1");
  expect(text).not.toContain(origin);
  expect(text).toContain("Please write to postmaster@kauke.test from this mailbox at once.");
  expect(text.split("\r\n").every((line) => line.length <= 200 && /^[\x20-\x7e]*$/.test(line))).toBe(true);
});

it.each([
  ["way_linked", "wallet", "A wallet was linked to your account"],
  ["way_linked", "google", "A Google account was linked to your account"],
  ["way_removed", "wallet", "The wallet was removed from your account"],
  ["way_removed", "google", "The Google account was removed from your account"],
] as const)("%s, %s: names the change", (kind, way, subject) => {
  const text = accountMessage({ kind, way, origin }, head).toString("latin1");
  expect(text).toContain(`\r\nSubject: ${subject}\r\n`);
});

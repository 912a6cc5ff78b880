import { expect, test } from "vitest";
import { containsMailbox } from "./typed-leak.ts";

const forwardTo = "Jonas+shop@inbox.example, https://hooks.example.org/jonas, ona@b\u00fccher.example";

test.each([
  ["the mailbox", "Write to jonas+shop@inbox.example."],
  ["the mailbox in upper case", "JONAS+SHOP@INBOX.EXAMPLE"],
  ["the mailbox without its tag", "(jonas@inbox.example)"],
  ["the mailbox with invisible characters in it", "jonas\u200B@inbox.ex\u00ADample"],
  ["the mailbox with a full-width @", "jonas\uFF20inbox.example"],
  ["the ASCII form of its domain", "ona@xn--bcher-kva.example"],
])("%s is a leak", (_, body) => expect(containsMailbox(body, forwardTo)).toBe(true));

test.each([
  ["other words", "The dates hold."],
  ["a longer name", "tojonas@inbox.example"],
  ["a longer domain", "jonas@inbox.example.org"],
  ["the webhook's address", "https://hooks.example.org/jonas"],
])("%s is not a leak", (_, body) => expect(containsMailbox(body, forwardTo)).toBe(false));

test("a paused alias has no mailbox to leak", () => {
  expect(containsMailbox("null and jonas@inbox.example", "null")).toBe(false);
});

import { expect, test } from "vitest";
import { findLeaks, lineOf, replacePlaces } from "./leak-places.ts";

const forwardTo = "Jonas+shop@inbox.example, https://hooks.example.org/jonas, ona@b\u00fccher.example";

test.each([
  ["the mailbox", "Write to jonas+shop@inbox.example."],
  ["the mailbox in upper case", "JONAS+SHOP@INBOX.EXAMPLE"],
  ["the mailbox without its tag", "(jonas@inbox.example)"],
  ["the mailbox with invisible characters in it", "jonas\u200B@inbox.ex\u00ADample"],
  ["the mailbox with a full-width @", "jonas\uFF20inbox.example"],
  ["the ASCII form of its domain", "ona@xn--bcher-kva.example"],
])("%s is a leak", (_, body) => expect(findLeaks(body, forwardTo)).toHaveLength(1));

test.each([
  ["other words", "The dates hold."],
  ["a longer name", "tojonas@inbox.example"],
  ["a longer domain", "jonas@inbox.example.org"],
  ["the webhook's address", "https://hooks.example.org/jonas"],
])("%s is not a leak", (_, body) => expect(findLeaks(body, forwardTo)).toEqual([]));

test("a paused alias has no mailbox to leak", () => {
  expect(findLeaks("null and jonas@inbox.example", "null")).toEqual([]);
});

test("every place is found, as long as it was typed, and the alias stands there instead", () => {
  const text = "Labas,\nwrite to JONAS@inbox.example or jo\u00adnas+shop@inbox.example.\nJonas";
  const places = findLeaks(text, forwardTo);
  expect(places.map(({ start, end }) => text.slice(start, end))).toEqual([
    "JONAS@inbox.example",
    "jo\u00adnas+shop@inbox.example",
  ]);
  const replaced = replacePlaces(text, places, "shop@kauke.test");
  expect(replaced).toBe("Labas,\nwrite to shop@kauke.test or shop@kauke.test.\nJonas");
  expect(findLeaks(replaced, forwardTo)).toEqual([]);
});

test("a place is shown with its line and a little of what stands around it", () => {
  const text =
    "Labas,\nif anything is unclear, then please write to jonas@inbox.example, I read mail every evening\nJonas";
  const [place] = findLeaks(text, forwardTo);
  if (place === undefined) throw new Error("no place");
  expect(lineOf(text, place)).toEqual({
    line: 2,
    head: "…r, then please write to ",
    found: "jonas@inbox.example",
    tail: ", I read mail every even…",
  });
});

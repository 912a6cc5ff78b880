import { expect, test } from "vitest";
import { encryptionState, keyTargets, withEarlyKey } from "./keys.ts";
import { emptyLetter } from "./letter.ts";
import { noRecipients, parseRecipients, withEntries } from "./recipients.ts";

const people = [
  { address: "ann@example.org", publicKey: "age1ann" },
  { address: "bob@example.org", publicKey: null },
];
const letterTo = (text: string, keys: Record<string, string> = {}) => ({
  ...emptyLetter,
  to: withEntries(noRecipients, parseRecipients(text)),
  keys,
});

test("a remembered key is filled in, and a typed one wins over it", () => {
  expect(keyTargets(letterTo("Ann@example.org"), people)).toEqual([
    { address: "Ann@example.org", publicKey: "age1ann", isKnown: true },
  ]);
  expect(keyTargets(letterTo("ann@example.org", { "ann@example.org": "age1new" }), people)).toEqual([
    { address: "ann@example.org", publicKey: "age1new", isKnown: false },
  ]);
});

test("a key typed before its recipient is the first recipient's, of nobody who follows, and of several nobody's", () => {
  const early = letterTo("", { "": "age1early" });
  const targets = (letter: typeof early) => keyTargets(letter, people).map(({ publicKey }) => publicKey);
  const to = (before: typeof early, text: string) => withEarlyKey(before, { ...before, to: letterTo(text).to });
  expect(targets(early)).toEqual(["age1early"]);
  const first = to(early, "bob@example.org");
  expect(targets(first)).toEqual(["age1early"]);
  expect(targets(to(first, "bob@example.org, carl@example.org"))).toEqual(["age1early", ""]);
  const nobody = to(first, "");
  expect(targets(nobody)).toEqual([""]);
  expect(targets(to(nobody, "carl@example.org"))).toEqual([""]);
  expect(targets(to(nobody, "bob@example.org"))).toEqual(["age1early"]);
  const several = to(early, "bob@example.org, carl@example.org");
  expect(targets(several)).toEqual(["", ""]);
  expect(targets(to(several, "carl@example.org"))).toEqual([""]);
});

test.each([
  ["", false, "Not encrypted"],
  ["ann@example.org", false, "Not encrypted · the key is known"],
  ["ann@example.org, bob@example.org", false, "Not encrypted · bob@example.org has no key"],
  ["bob@example.org, carl@example.org", false, "Not encrypted · 2 recipients have no key"],
  ["ann@example.org", true, "Encrypted"],
  ["ann@example.org, bob@example.org", true, "Not sent before bob@example.org has a key"],
  ["bob@example.org, carl@example.org", true, "Not sent before 2 recipients have a key"],
])("the state line to %j, encryption %s: %j", (to, isEncrypted, state) => {
  expect(encryptionState({ isEncrypted }, keyTargets(letterTo(to), people))).toBe(state);
});

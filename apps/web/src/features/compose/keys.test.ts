import { expect, test } from "vitest";
import { encryptionState, keyTargets } from "./keys.ts";
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

test("a key typed before its recipient is the only recipient's, and of several nobody's", () => {
  const keys = { "": "age1early" };
  expect(keyTargets(letterTo("", keys), people)).toMatchObject([{ address: "", publicKey: "age1early" }]);
  expect(keyTargets(letterTo("bob@example.org", keys), people)).toMatchObject([{ publicKey: "age1early" }]);
  expect(keyTargets(letterTo("bob@example.org, carl@example.org", keys), people)).toMatchObject([
    { publicKey: "" },
    { publicKey: "" },
  ]);
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

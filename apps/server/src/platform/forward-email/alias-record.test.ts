import { expect, test } from "vitest";
import { bodyOf, haveSameRecipients, readCopy } from "./alias-record.ts";
import { DOMAIN, record } from "./provider.testing.ts";

test.each([
  [["Ann@mailbox.example", "b@mailbox.example"], ["b@mailbox.example", "ann@mailbox.example"], true],
  [["ann@mailbox.example", "ANN@mailbox.example"], ["ann@mailbox.example"], true],
  [["https://hooks.example"], ["https://hooks.example/"], true],
  [["https://hooks.example/In"], ["https://hooks.example/in"], false],
  [["ann@mailbox.example"], ["ann@mailbox.example", "b@mailbox.example"], false],
  [["ann@mailbox.example"], [], false],
])("%j and %j are the same recipients: %s", (one, other, isSame) => {
  expect(haveSameRecipients(one, other)).toBe(isSame);
  expect(haveSameRecipients(other, one)).toBe(isSame);
});

test("notes, labels and passwords are no part of the record", () => {
  const alias = { ...record("shop"), notes: "for the doctor", labels: ["private"] };
  expect(JSON.stringify(bodyOf("id", alias))).not.toMatch(/doctor|private|password/);
});

test.each<[string, string | undefined, string | null]>([
  ["our mark", "kauke:6d1a72c2-6972-4243-b2d3-fbb27844691f", "6d1a72c2-6972-4243-b2d3-fbb27844691f"],
  ["words that contain it", "see kauke:6d1a72c2-6972-4243-b2d3-fbb27844691f", null],
  ["a mark without an id", "kauke:shop", null],
  ["nothing", undefined, null],
])("a copy with %s", (_what, description, aliasId) => {
  const json = { id: "a1", name: "Shop", domain: { name: DOMAIN }, recipients: [], is_enabled: true, description };
  expect(readCopy(json, DOMAIN)).toMatchObject({ address: `shop@${DOMAIN}`, aliasId });
});

import type { AliasWire, MailboxWire } from "@kauke/contract";
import { expect, test } from "vitest";
import { firstDestination, mailboxesToOffer, offeredDestinations } from "./offered-destinations.ts";

const to = (forwardTo: string) => ({ forwardTo, lastForwardTo: null }) as AliasWire;
const hook = "https://hooks.example.org/x";

test("mailboxes of the account come first, then the destinations of the most aliases", () => {
  const aliases = [to(`rasa@example.org, ${hook}`), to(`Jonas@example.org, ${hook}`), to("rare@example.org")];
  expect(offeredDestinations(["jonas@example.org"], aliases)).toEqual([
    "jonas@example.org",
    hook,
    "rasa@example.org",
    "rare@example.org",
  ]);
});

test("a paused alias counts for the destinations it had before", () => {
  const paused = { forwardTo: "null", lastForwardTo: "jonas@example.org" } as AliasWire;
  expect(offeredDestinations([], [paused])).toEqual(["jonas@example.org"]);
});

test("at most six destinations are offered", () => {
  const aliases = Array.from({ length: 20 }, (_, at) => to(`box${at}@example.org`));
  expect(offeredDestinations(["jonas@example.org"], aliases)).toHaveLength(6);
});

test("the default mailbox comes first, then the most used; refused and blocked mailboxes are left out", () => {
  const box = (email: string, more: Partial<MailboxWire>) => ({
    email,
    state: "confirmed",
    aliasCount: 0,
    ...more,
  });
  const boxes = [
    box("old@example.org", { aliasCount: 1 }),
    box("busy@example.org", { aliasCount: 9 }),
    box("mine@example.org", { isDefault: true }),
    box("asked@example.org", { state: "asked", aliasCount: 3 }),
    box("not-mine@example.org", { state: "refused", aliasCount: 20 }),
    box("blocked@example.org", { state: "blocked", aliasCount: 20 }),
  ] as MailboxWire[];
  expect(mailboxesToOffer(boxes)).toEqual([
    "mine@example.org",
    "busy@example.org",
    "asked@example.org",
    "old@example.org",
  ]);
});

test("the form begins with the default mailbox, or with the only one that may receive mail", () => {
  const box = (email: string, more: Partial<MailboxWire> = {}) =>
    ({ email, state: "pending", isDefault: false, aliasCount: 0, ...more }) as MailboxWire;
  const [one, other] = [box("one@example.org"), box("other@example.org")];
  expect(firstDestination([])).toBe("");
  expect(firstDestination([one])).toBe("one@example.org");
  expect(firstDestination([one, box("no@example.org", { state: "refused" })])).toBe("one@example.org");
  expect(firstDestination([box("no@example.org", { state: "blocked" })])).toBe("");
  expect(firstDestination([one, other])).toBe("");
  expect(firstDestination([one, { ...other, isDefault: true }])).toBe("other@example.org");
});

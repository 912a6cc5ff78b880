import { expect, test } from "vitest";
import { describedMailboxes } from "./described-mailboxes.ts";

const open = (...addresses: string[]) => addresses.map((address) => ({ address, state: "asked" as const }));
const row = (id: string, forwardTo: string, unconfirmed = open(...forwardTo.split(", "))) => ({
  id,
  forwardTo,
  unconfirmed,
  active: forwardTo !== "null",
});

test("only the first row with an unconfirmed mailbox describes it, whatever the case of its spelling", () => {
  const rows = [
    row("paused", "null", open("a@x.test")),
    row("first", "a@x.test"),
    row("second", "A@x.test, b@x.test"),
    row("third", "b@x.test, c@x.test", open("b@x.test")),
  ];
  expect(Object.fromEntries(describedMailboxes(rows))).toEqual({ first: "a@x.test", second: "b@x.test" });
});

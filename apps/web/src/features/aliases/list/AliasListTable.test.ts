import { expect, test } from "vitest";
import { describedMailboxes, nextRowKeys, noRowKeys } from "./AliasListTable.tsx";

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

const keysOf = (ids: string, before = noRowKeys, isReused = true) => nextRowKeys(before, [...ids], isReused);

test("each row has a key of its own, and keeps it while its alias is shown, wherever it moves", () => {
  const first = keysOf("abc");
  expect([...first.values()]).toEqual([0, 1, 2]);
  const moved = keysOf("cba", first);
  for (const id of "abc") expect(moved.get(id)).toBe(first.get(id));
});

test("after a search, newly found aliases get the rows of those no longer found", () => {
  const next = keysOf("bxy", keysOf("abc"));
  expect(next.get("b")).toBe(1);
  expect([next.get("x"), next.get("y")]).toEqual([0, 2]);
});

test("after any other change, no alias gets the row of another one", () => {
  const next = keysOf("bcd", keysOf("abc"), false);
  expect([...next.values()]).toEqual([1, 2, 3]);
});

test("keys stay distinct when the list grows", () => {
  const next = keysOf("xyzab", keysOf("abc"));
  expect(new Set(next.values()).size).toBe(5);
  expect([next.get("a"), next.get("b")]).toEqual([0, 1]);
});

import { expect, test } from "vitest";
import { nextRowKeys, noRowKeys } from "./AliasListTable.tsx";

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

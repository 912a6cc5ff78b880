import { expect, test } from "vitest";
import { type TableState, tablesLeft, tablesToRewrite } from "./embedded-erasure.ts";

const MEBIBYTE = 1024 * 1024;
const noon = new Date(2026, 10, 22, 12);
const night = new Date(2026, 10, 23, 3, 30);
const before = (moment: Date, hours: number) => new Date(moment.getTime() - hours * 3_600_000);

function table(name: string, sizeMebibytes: number, hoursAgo: number, now: Date): TableState {
  return { name, sizeBytes: sizeMebibytes * MEBIBYTE, hasChanged: true, rewrittenAt: before(now, hoursAgo) };
}

test("all small tables with changes are rewritten an hour after the last rewrite, at any time of day", () => {
  const tables = [table("user", 1, 1, noon), table("alias", 8, 2, noon), table("notice", 1, 0.9, noon)];
  expect(tablesToRewrite(tables, noon)).toEqual(["user", "alias"]);
});

test("a table without deletions is not rewritten", () => {
  const tables = [{ ...table("user", 1, 1000, noon), hasChanged: false }];
  expect(tablesToRewrite(tables, noon)).toEqual([]);
});

test("large tables are rewritten at night, one at a time, once a day", () => {
  const large = (now: Date) => [table("alias", 9, 20, now), table("user", 256, 20, now)];
  expect(tablesToRewrite(large(noon), noon)).toEqual([]);
  expect(tablesToRewrite(large(night), night)).toEqual(["alias"]);
  expect(tablesToRewrite([table("alias", 9, 19, night)], night)).toEqual([]);
});

test("a server that does not run at night rewrites large tables after a day and a half", () => {
  expect(tablesToRewrite([table("alias", 100, 35, noon)], noon)).toEqual([]);
  expect(tablesToRewrite([table("alias", 100, 36, noon)], noon)).toEqual(["alias"]);
});

test("a table whose rewrite would take longer than a few seconds is not rewritten, and is reported", () => {
  const tables = [table("alias", 257, 1000, night), table("user", 1, 2, night)];
  expect(tablesToRewrite(tables, night)).toEqual(["user"]);
  expect(tablesLeft(tables)).toBe(1);
  expect(tablesLeft(tables.map((it) => ({ ...it, hasChanged: false })))).toBe(0);
});

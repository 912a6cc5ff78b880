import { expect, test } from "vitest";
import { type TableState, tablesLeft, tablesToRewrite } from "./rewrite-plan.ts";

const MEBIBYTE = 1024 * 1024;
const noon = new Date(2026, 10, 22, 12);
const night = new Date(2026, 10, 23, 3, 30);
const before = (moment: Date, hours: number) => new Date(moment.getTime() - hours * 3_600_000);

function table(name: string, sizeMebibytes: number, hoursAgo: number, now: Date): TableState {
  return { name, sizeBytes: sizeMebibytes * MEBIBYTE, hasChanged: true, rewrittenAt: before(now, hoursAgo) };
}

test("small tables are rewritten an hour after the last time, at any hour, all of them", () => {
  const tables = [table("user", 1, 1, noon), table("alias", 8, 2, noon), table("notice", 1, 0.9, noon)];
  expect(tablesToRewrite(tables, noon)).toEqual(["user", "alias"]);
});

test("a table that nothing was deleted from stays as it is", () => {
  const tables = [{ ...table("user", 1, 1000, noon), hasChanged: false }];
  expect(tablesToRewrite(tables, noon)).toEqual([]);
});

test("large tables wait for the night, one at a time, once a day", () => {
  const large = (now: Date) => [table("alias", 9, 20, now), table("user", 256, 20, now)];
  expect(tablesToRewrite(large(noon), noon)).toEqual([]);
  expect(tablesToRewrite(large(night), night)).toEqual(["alias"]);
  expect(tablesToRewrite([table("alias", 9, 19, night)], night)).toEqual([]);
});

test("a server that is never there at night does it a day and a half later", () => {
  expect(tablesToRewrite([table("alias", 100, 35, noon)], noon)).toEqual([]);
  expect(tablesToRewrite([table("alias", 100, 36, noon)], noon)).toEqual(["alias"]);
});

test("what would take longer than a few seconds is left alone, and told", () => {
  const tables = [table("alias", 257, 1000, night), table("user", 1, 2, night)];
  expect(tablesToRewrite(tables, night)).toEqual(["user"]);
  expect(tablesLeft(tables)).toBe(1);
  expect(tablesLeft(tables.map((it) => ({ ...it, hasChanged: false })))).toBe(0);
});

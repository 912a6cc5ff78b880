import type { AliasWire } from "@kauke/contract";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  countByFilter,
  filterAliases,
  indexAliases,
  type ListFilter,
  type ListSort,
  listPage,
  orderAliases,
  pageButtons,
  pageSizes,
  searchAliases,
} from "./list-view.ts";

function alias(over: Partial<AliasWire>): AliasWire {
  return {
    id: "00000000-0000-4000-8000-000000000001",
    userId: "00000000-0000-4000-8000-000000000002",
    alias: "shop.k7",
    domain: "kauke.test",
    forwardTo: "jonas@example.org",
    active: true,
    notes: null,
    lastForwardTo: null,
    providerId: null,
    sealTo: "account",
    labels: [],
    pinned: false,
    writeByAddress: false,
    createdAt: "2026-01-01T00:00:00.000Z",
    ...over,
  };
}

const search = (aliases: AliasWire[], query: string): string[] =>
  searchAliases(indexAliases(aliases), query).map((alias) => alias.alias);

test("search covers address, destinations and notes, in any case", () => {
  const aliases = [
    alias({ alias: "bank.lt", notes: "Statements" }),
    alias({ alias: "rent", domain: "vejas.test" }),
    alias({ alias: "ci", forwardTo: "https://hooks.example.org/Mail" }),
  ];
  expect(search(aliases, "RENT@vejas")).toEqual(["rent"]);
  expect(search(aliases, "/mail")).toEqual(["ci"]);
  expect(search(aliases, "statem")).toEqual(["bank.lt"]);
  expect(search(aliases, "  ")).toEqual(["bank.lt", "rent", "ci"]);
  expect(search(aliases, "nothing")).toEqual([]);
});

test("a paused alias is found by its previous destinations, not by the word null", () => {
  const aliases = [alias({ active: false, forwardTo: "null", lastForwardTo: "rasa@example.org" })];
  expect(search(aliases, "rasa")).toHaveLength(1);
  expect(search(aliases, "null")).toHaveLength(0);
});

test("a match can't span two fields", () => {
  expect(search([alias({ alias: "a", domain: "b.test", forwardTo: "c@example.org" })], "testc")).toEqual([]);
});

test("search finds labels by name in any letter case, but not by id", () => {
  const labels = new Map([["one", { id: "one", name: "Parduotuvės", colour: "teal" as const }]]);
  const aliases = [alias({ alias: "shop", labels: ["one"] }), alias({ alias: "bank", labels: ["gone"] })];
  const find = (query: string) => searchAliases(indexAliases(aliases, labels), query).map((it) => it.alias);
  expect(find("PARDUOTUVĖS")).toEqual(["shop"]);
  expect(find("one")).toEqual([]);
});

const mixed = [
  alias({ alias: "c", domain: "b.test" }),
  alias({ alias: "B", domain: "a.test", active: false, forwardTo: "null", lastForwardTo: "x@example.org" }),
  alias({ alias: "a", domain: "b.test", pinned: true, labels: ["one"] }),
  alias({ alias: "d", domain: "a.test", unconfirmed: [{ address: "x@example.org", state: "asked" }], labels: ["one"] }),
];

test.each<[ListSort, string]>([
  ["newest", "a c B d"],
  ["name", "a B c d"],
  ["domain", "a B d c"],
])("aliases sorted by %s begin with the pinned ones", (sort, expected) => {
  expect(
    orderAliases(indexAliases(mixed), sort)
      .map((it) => it.alias.alias)
      .join(" "),
  ).toBe(expected);
});

test.each<[ListFilter, string, string]>([
  ["all", "all", "c B a d"],
  ["active", "active", "c a d"],
  ["paused", "paused", "B"],
  ["pinned", "pinned", "a"],
  ["unconfirmed", "unconfirmed", "d"],
  [{ label: "one" }, "one", "a d"],
  [{ label: "unused" }, "unused", ""],
])("the filter %j shows the aliases that it counts", (filter, name, expected) => {
  const found = filterAliases(indexAliases(mixed), filter).map((it) => it.alias.alias);
  expect(found.join(" ")).toBe(expected);
  expect(countByFilter(mixed).get(name) ?? 0).toBe(found.length);
});

test("lists are cut into pages with a range text each", () => {
  const items = Array.from({ length: 48 }, (_, n) => n);
  expect(listPage(items, 5, 10)).toMatchObject({
    page: 5,
    pages: 5,
    range: "41–48 of 48",
    items: [40, 41, 42, 43, 44, 45, 46, 47],
  });
  expect(listPage(items, 9, 10).page).toBe(5);
  expect(listPage([], 3, 10)).toMatchObject({ page: 1, pages: 1, range: "0 of 0", items: [] });
  expect(listPage(Array.from({ length: 5000 }), 1, 100).range).toBe("1–100 of 5,000");
});

test("the pager shows at most five pages, around the current one", () => {
  expect(pageButtons(1, 1)).toEqual([1]);
  expect(pageButtons(2, 3)).toEqual([1, 2, 3]);
  expect(pageButtons(1, 9)).toEqual([1, 2, 3, 4, 5]);
  expect(pageButtons(5, 9)).toEqual([3, 4, 5, 6, 7]);
  expect(pageButtons(9, 9)).toEqual([5, 6, 7, 8, 9]);
});

test("for every list, page and size: all pages together are the list, and the current page has a button", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(), { maxLength: 400 }),
      fc.integer({ min: -3, max: 60 }),
      fc.constantFrom(...pageSizes),
      (items, wanted, size) => {
        const view = listPage(items, wanted, size);
        const all = Array.from({ length: view.pages }, (_, index) => listPage(items, index + 1, size).items).flat();
        expect(all).toEqual(items);
        expect(view.buttons).toContain(view.page);
        expect(view.buttons.length).toBeLessThanOrEqual(5);
        expect(view.buttons.every((button) => button >= 1 && button <= view.pages)).toBe(true);
      },
    ),
  );
});

test("searching 5,000 aliases takes less than 16 ms, one frame", () => {
  const indexed = indexAliases(
    Array.from({ length: 5000 }, (_, n) => alias({ alias: `name${n}`, notes: "x".repeat(100) })),
  );
  const took = Array.from({ length: 20 }, () => {
    const began = performance.now();
    searchAliases(indexed, "name4999");
    return performance.now() - began;
  });
  // Other load on the machine only lengthens a measured time, so the shortest one counts.
  expect(Math.min(...took)).toBeLessThan(16);
});

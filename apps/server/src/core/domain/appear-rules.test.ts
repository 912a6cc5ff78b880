import { limits } from "@kauke/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AppearRules, mayAppear, noneAppear, withNever } from "./appear-rules.ts";

const rules = (more: Partial<AppearRules>): AppearRules => ({ ...noneAppear, ...more });
const may = (name: string, given: AppearRules) => mayAppear(name, given, new Set(given.neverNames));
const all = rules({ appear: "all" });
const shops = rules({ appear: "prefixes", prefixes: ["shop.", "news-"] });

const nameCharacter = fc.constantFrom(..."abcxyzABC019-_".split(""));
const plainName = fc.string({ unit: nameCharacter, minLength: 1, maxLength: 64 });

describe("names that appear", () => {
  test.each([
    ["shop", all, true],
    ["Shop.k7", all, true],
    ["shop.k7", shops, true],
    ["SHOP.k7", shops, true],
    ["news-a", shops, true],
    ["shop", shops, false],
    ["my.shop.k7", shops, false],
    ["shop..k7", all, false],
    ["shop.", all, false],
    ["shop k7", all, false],
    ["žolė", all, false],
    ["a".repeat(65), all, false],
    ["", all, false],
    ["postmaster", all, false],
    ["Abuse", all, false],
    ["bounce-1", all, false],
    ["srs0-x", all, false],
    [`r-${"a".repeat(20)}`, all, false],
    ["probe-aaaa-bbbb-cccc", all, false],
    ["admin", all, true],
  ] as const)("%s", (name, given, expected) => {
    expect(may(name, given)).toBe(expected);
  });

  test("while off, no name appears, whatever the prefixes are", () => {
    fc.assert(
      fc.property(plainName, fc.array(plainName), (name, prefixes) => {
        expect(may(name, rules({ appear: "off", prefixes }))).toBe(false);
      }),
    );
  });

  test("a refused name never appears, in any letter case, and refusing it changes no other name", () => {
    fc.assert(
      fc.property(plainName, plainName, (name, other) => {
        const next = withNever(all, name);
        if (next === "full") throw new Error("full");
        expect(may(name, next)).toBe(false);
        expect(may(name.toUpperCase(), next)).toBe(false);
        if (other.toLowerCase() !== name.toLowerCase()) expect(may(other, next)).toBe(may(other, all));
      }),
    );
  });

  test("what appears by prefixes begins with one of them, and would appear by catch-all too", () => {
    fc.assert(
      fc.property(plainName, fc.array(plainName, { maxLength: 20 }), (name, given) => {
        const prefixes = given.map((prefix) => prefix.toLowerCase());
        const begins = prefixes.some((prefix) => name.toLowerCase().indexOf(prefix) === 0);
        expect(may(name, rules({ appear: "prefixes", prefixes }))).toBe(begins && may(name, all));
      }),
    );
  });

  test("the time for a name grows in proportion to its length, and hostile prefixes cost the same", () => {
    const prefixes = Array.from({ length: limits.appearPrefixesMax }, () => `${"a".repeat(63)}b`);
    const given = rules({ appear: "prefixes", prefixes });
    const never = new Set(given.neverNames);
    const begun = performance.now();
    for (let round = 0; round < 10_000; round += 1) mayAppear("a".repeat(64), given, never);
    expect(mayAppear("a".repeat(1_000_000), given, never)).toBe(false);
    expect(performance.now() - begun).toBeLessThan(2000);
  });
});

test("the list of refused names has each name once, and a bound", () => {
  const names = Array.from({ length: limits.neverNamesMax }, (_, at) => `name${at}`);
  const full = rules({ neverNames: names });
  expect(withNever(full, "NAME1")).toBe(full);
  expect(withNever(full, "another")).toBe("full");
  expect(withNever(noneAppear, "Shop")).toEqual(rules({ neverNames: ["shop"] }));
});

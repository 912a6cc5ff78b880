import { limits } from "@kauke/contract";
import fc from "fast-check";
import { expect, test } from "vitest";
import { appearText, exampleNames, readPrefixes } from "./appear-text.ts";

test.each([
  [" Shop., news-  shop.", ["shop.", "news-"]],
  ["shop.*; news*", ["shop.", "news"]],
  [" , ", []],
])("%s is read as beginnings", (typed, prefixes) => {
  expect(readPrefixes(typed)).toEqual(prefixes);
});

test("the rules are said in words", () => {
  expect(appearText({ appear: "off", prefixes: ["a"] })).toMatch(/^Off/);
  expect(appearText({ appear: "prefixes", prefixes: ["shop."] })).toContain("shop.");
  expect(appearText({ appear: "prefixes", prefixes: ["shop.", "b"] })).toMatch(/: shop\., b$/);
});

test("examples match the beginnings, and the other one does not", () => {
  expect(exampleNames([])).toBeNull();
  expect(exampleNames(["shop."])).toEqual({ matching: ["shop.shoes", "shop.2026"], other: "hello" });
  const prefix = fc.string({ unit: fc.constantFrom(..."abhqz019.-".split("")), minLength: 1, maxLength: 64 });
  fc.assert(
    fc.property(fc.array(prefix, { minLength: 1, maxLength: limits.appearPrefixesMax }), (prefixes) => {
      const examples = exampleNames(prefixes);
      const begins = (name: string) => prefixes.some((one) => name.startsWith(one));
      expect(examples?.matching.every((name) => begins(name) && name.length <= limits.aliasNameMax)).toBe(true);
      expect(begins(String(examples?.other))).toBe(false);
    }),
  );
});

import { isAliasName, limits } from "@kauke/contract";
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
  for (const none of [[], ["(a+)+$"], ["-"], ["shop.."]]) expect(exampleNames(none)).toBeNull();
  expect(exampleNames(["(x)", "news-"])?.matching).toEqual(["news-shoes", "news-2026"]);
  expect(exampleNames(["shop."])).toEqual({ matching: ["shop.shoes", "shop.2026"], other: "hello" });
  const prefix = fc.string({ unit: fc.constantFrom(..."abhqz019.-".split("")), minLength: 1, maxLength: 64 });
  fc.assert(
    fc.property(fc.array(prefix, { minLength: 1, maxLength: limits.appearPrefixesMax }), (prefixes) => {
      const examples = exampleNames(prefixes);
      const begins = (name: string) => prefixes.some((one) => name.startsWith(one));
      for (const name of examples?.matching ?? [])
        expect([name, begins(name), isAliasName(name)]).toEqual([name, true, true]);
      expect(begins(examples?.other ?? "")).toBe(false);
    }),
  );
});

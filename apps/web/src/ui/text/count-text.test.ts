import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { countText } from "./count-text.ts";

afterEach(() => {
  globalThis.kaukeTexts = undefined;
});

test.each(["de", "lt"])("every count is formatted as Intl does for %s", (language) => {
  globalThis.kaukeTexts = { "": language };
  const people = new Intl.NumberFormat(language, { useGrouping: "always" });
  fc.assert(fc.property(fc.maxSafeNat(), (count) => countText(count) === people.format(count)));
});

test.each([
  [0, "0"],
  [999, "999"],
  [1000, "1,000"],
  [31_000, "31,000"],
  [1_234_567, "1,234,567"],
])("%i is formatted as %s", (count, text) => {
  expect(countText(count)).toBe(text);
});

test("every count is formatted as Intl does for en-US", () => {
  const people = new Intl.NumberFormat("en-US");
  fc.assert(fc.property(fc.maxSafeNat(), (count) => countText(count) === people.format(count)));
});

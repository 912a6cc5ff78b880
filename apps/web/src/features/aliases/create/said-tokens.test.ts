import { expect, test } from "vitest";
import { tokensText } from "./said-tokens.ts";

test("added, wrong and removed destinations are announced", () => {
  expect(tokensText([], [])).toBe("");
  expect(tokensText(["a@x.test"], ["a@x.test", "b@x.test"])).toBe("b@x.test added");
  expect(tokensText([], ["b@x.test", "x"])).toBe("b@x.test, x added, not valid: x");
  expect(tokensText(["a@x.test", "b@x.test"], ["b@x.test"])).toBe("a@x.test removed");
  expect(tokensText(["a@gmial.com"], ["a@gmail.com"])).toBe("a@gmail.com added");
});

import { aliasFormats, nameEntropyBits } from "@kauke/contract";
import { expect, test } from "vitest";
import { chancesText, formatLabels, hostOf } from "./generated-format.ts";

test("a site without a dot gets the ending .com; other sites are unchanged", () => {
  expect(hostOf("shop")).toBe("shop.com");
  expect(hostOf("shop.example")).toBe("shop.example");
  expect(hostOf("https://shop.example/cart")).toBe("https://shop.example/cart");
});

test("the chance of guessing a generated name is given in words", () => {
  expect(nameEntropyBits).toEqual({ characters: 62, words: 44, uuid: 122, site: 22 });
  expect(chancesText("characters")).toBe("1 in 4 quintillion");
  expect(chancesText("words")).toBe("1 in 17 trillion");
  expect(chancesText("site")).toBe("1 in 4 million");
  expect(chancesText("uuid")).toBe("1 in 10 to the power of 36");
});

test("every format has a label", () => expect(Object.keys(formatLabels)).toEqual([...aliasFormats]));

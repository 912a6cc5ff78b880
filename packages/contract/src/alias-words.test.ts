import { describe, expect, it } from "vitest";
import { aliasWords } from "./alias-words.ts";
import { aliasWordsMin } from "./generated-names.ts";

/** Parts of offensive words. Words that contain one by chance ("glass", "title") are exempt. */
const offending =
  /fuck|shit|cunt|piss|cock(?!\b)|slut|whor|nazi|rape(?!z)|porn|sex|twat|wank|kill|murd|suici|bitch|nude/;
const harmless = new Set([
  "skill",
  "skillet",
  "skillful",
  "drape",
  "drapery",
  "grape",
  "peacock",
  "cockatoo",
  "scrape",
]);
const offends = (word: string) => offending.test(word) && !harmless.has(word);

describe("the words of generated names", () => {
  it("are unique, sorted, and at least as many as the stated entropy of generated names assumes", () => {
    expect(aliasWords.length).toBeGreaterThanOrEqual(aliasWordsMin);
    expect([...new Set(aliasWords)].sort()).toEqual(aliasWords);
  });

  it("have three to eight letters from a to z", () => {
    expect(aliasWords.filter((word) => !/^[a-z]{3,8}$/.test(word))).toEqual([]);
  });

  it("contain no offensive word", () => {
    expect(aliasWords.filter(offends)).toEqual([]);
  });

  it("control: the check finds an offensive word", () => {
    expect(["murder", "sexy", "bitch"].every(offends)).toBe(true);
  });
});

import { describe, expect, test } from "vitest";
import { pageLanguage, preferredLanguage } from "./page-language.ts";

describe("the language of a page", () => {
  test.each([
    ["", "en"],
    ["de", "de"],
    ["de-AT", "de"],
    ["LT-lt,lt;q=0.9,en;q=0.8", "lt"],
    ["fr, de;q=0.8, en;q=0.5", "de"],
    ["en, de;q=0.9", "en"],
    ["de;q=0, lt;q=0.1", "lt"],
    ["de;q=abc", "en"],
    ["fr, pl", "en"],
    ["*", "en"],
    ["constructor, __proto__", "en"],
  ])("for Accept-Language %j is %s", (header, language) => expect(preferredLanguage(header)).toBe(language));

  test("is the one that the person chose, whatever the browser prefers", () => {
    const headers = { "accept-language": "de" };
    expect(pageLanguage({ cookies: { language: "lt" }, headers })).toBe("lt");
    expect(pageLanguage({ cookies: { language: "en" }, headers })).toBe("en");
  });

  test("is the browser's where the cookie names none", () => {
    for (const language of ["", "fr", "../de", "toString"])
      expect(pageLanguage({ cookies: { language }, headers: { "accept-language": "de" } })).toBe("de");
  });

  test("takes a header of any length in no time", () => {
    expect(preferredLanguage("fr,".repeat(100_000))).toBe("en");
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isOneEditApart, suggestedAddress } from "./domain-typo.ts";

describe("suggestedAddress", () => {
  test.each([
    ["jonas@gmial.com", "jonas@gmail.com"],
    ["jonas@gmai.com", "jonas@gmail.com"],
    ["jonas@gmaill.com", "jonas@gmail.com"],
    ["jonas@gnail.com", "jonas@gmail.com"],
    ["jonas@Gmail.con", "jonas@gmail.com"],
    ["jonas@gmail.co", "jonas@gmail.com"],
    ["jonas@outlok.com", "jonas@outlook.com"],
    ["jonas@hotmial.com", "jonas@hotmail.com"],
    ["jonas@yaho.com", "jonas@yahoo.com"],
    ["jonas@iclod.com", "jonas@icloud.com"],
    ["jonas@protonmail.cm", "jonas@protonmail.com"],
    ["jonas@proton.em", "jonas@proton.me"],
    ["jonas@live.con", "jonas@live.com"],
    ["jonas@inbx.lt", "jonas@inbox.lt"],
  ])("the domain in %s may stand for the one in %s", (typed, meant) => expect(suggestedAddress(typed)).toBe(meant));

  test.each([
    "jonas@gmail.com",
    "jonas@email.com",
    "jonas@mail.com",
    "jonas@ymail.com",
    "jonas@yahoo.de",
    "jonas@hotmail.fr",
    "jonas@love.com",
    "jonas@gmx.net",
    "jonas@example.org",
    "jonas@kauke.test",
    "jonas",
    "",
  ])("no other domain is suggested for %j", (typed) => expect(suggestedAddress(typed)).toBeNull());

  test("a suggested address has the same local part, and no suggestion is made for it", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("gmail.com", "icloud.com", "proton.me"),
        fc.nat(10),
        fc.stringMatching(/^[a-z.-]?$/),
        (domain, at, put) => {
          const typed = `jonas@${domain.slice(0, at)}${put}${domain.slice(at + 1)}`;
          const meant = suggestedAddress(typed);
          if (meant === null) return;
          expect(meant).toMatch(/^[^@]+@[a-z.-]+$/);
          expect(suggestedAddress(meant)).toBeNull();
        },
      ),
    );
  });
});

describe("isOneEditApart", () => {
  const word = fc.stringMatching(/^[a-c]{0,6}$/);

  test("is true for every edit of one character and every swap of two neighbours", () => {
    fc.assert(
      fc.property(word, word, fc.constantFrom("a", "b", "c"), (head, tail, letter) => {
        expect(isOneEditApart(head + tail, head + letter + tail)).toBe(true);
        expect(isOneEditApart(`${head}x${tail}`, head + letter + tail)).toBe(true);
        expect(isOneEditApart(`${head}x${letter}${tail}`, `${head}${letter}x${tail}`)).toBe(true);
      }),
    );
  });

  test("is symmetric, and false for two equal texts", () => {
    fc.assert(
      fc.property(word, word, (one, other) => {
        expect(isOneEditApart(one, other)).toBe(isOneEditApart(other, one));
        expect(isOneEditApart(one, one)).toBe(false);
      }),
    );
  });

  test.each([
    ["gmail", "gmaill", true],
    ["gmail", "gmlai", false],
    ["gmail", "gimal", false],
    ["abc", "", false],
  ])("%s and %s are one edit apart: %s", (one, other, isIt) => expect(isOneEditApart(one, other)).toBe(isIt));
});

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isAliasName } from "./destinations.ts";
import { findReservedName, findReservedOnOwnDomain } from "./reserved-names.ts";
import { neverReserved, reservedNames } from "./reserved-names-data.ts";

const words = Object.values(reservedNames).flat();
const bare = (word: string): string => word.replaceAll("-", "");
const ordinary = readFileSync(new URL("../../../test-vectors/aliases/ordinary.txt", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"));

const digitFor: Record<string, string[]> = {
  a: ["4"],
  b: ["8"],
  e: ["3"],
  g: ["9"],
  i: ["1"],
  l: ["1"],
  o: ["0"],
  s: ["5"],
  t: ["7"],
};

describe("the list", () => {
  it("holds at least 500 different names, and more than 25 in each category", () => {
    expect(new Set(words.map(bare)).size).toBeGreaterThanOrEqual(500);
    for (const [category, names] of Object.entries(reservedNames)) expect(names.length, category).toBeGreaterThan(25);
  });

  it("has no duplicates, and only words that are valid alias names", () => {
    const all = words.map(bare);
    expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([]);
    expect(words.filter((word) => !/^[a-z0-9-]+$/.test(word) || !isAliasName(word))).toEqual([]);
    expect(words.filter((word) => neverReserved.has(bare(word)))).toEqual([]);
  });

  it("covers what the specification names", () => {
    for (const word of ["admin", "support", "billing", "postmaster", "abuse", "security", "no-reply", "root"])
      expect(findReservedName(word), word).toBe(bare(word));
    for (const word of [
      "irs",
      "vmi",
      "paypal",
      "swedbank",
      "bitcoin",
      "fedex",
      "omniva",
      "telia",
      "google",
      "amazon",
      "ryanair",
      "urgent",
      "skubu",
    ])
      expect(findReservedName(word), word).toBe(word);
  });
});

describe("findReservedName", () => {
  it.each([
    ["adm1n", "admin"],
    ["pay-pal", "paypal"],
    ["p.a.y.p.a.l", "paypal"],
    ["P_A_Y.P-A-L", "paypal"],
    ["supp0rt", "support"],
    ["g00g1e", "google"],
    ["g00gle", "google"],
    ["8ank", "bank"],
    ["8illin9", "billing"],
    ["p05tma573r", "postmaster"],
    ["tele2", "tele2"],
    ["te1e2", "tele2"],
    ["adrnin", "admin"],
    ["arnaz0n", "amazon"],
    ["vvallet", "wallet"],
    ["rooot", "root"],
    ["adddddmin", "admin"],
    ["paaypal", "paypal"],
    ["suppport", "support"],
    ["NO.REPLY", "noreply"],
    ["mailer_daemon", "mailerdaemon"],
    ["bounce-s", "bounces"],
    ["valstybinemokesciuinspekcija", "valstybinemokesciuinspekcija"],
  ])("%s stands for %s", (name, word) => {
    expect(findReservedName(name)).toBe(word);
  });

  it("every reserved word matches in any case, with separators anywhere", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...words),
        fc.infiniteStream(fc.tuple(fc.boolean(), fc.constantFrom("", "", "-", "_", ".", "--"))),
        (word, marks) => {
          const name = [...bare(word)]
            .map((letter, index) => {
              const [isUpper, mark] = marks.next().value as [boolean, string];
              return `${index === 0 ? "" : mark}${isUpper ? letter.toUpperCase() : letter}`;
            })
            .join("")
            .slice(0, 64);
          fc.pre(isAliasName(name) && name.replace(/[._-]/g, "").length === bare(word).length);
          expect(findReservedName(name)).toBe(bare(word));
        },
      ),
      { numRuns: 3000 },
    );
  });

  it("every reserved word matches with look-alike digits for letters, as long as one letter is left", () => {
    fc.assert(
      fc.property(fc.constantFrom(...words), fc.infiniteStream(fc.boolean()), (word, choices) => {
        const name = [...word]
          .map((letter) => (choices.next().value === true ? (digitFor[letter]?.[0] ?? letter) : letter))
          .join("");
        fc.pre(/[a-z]/.test(name));
        expect(findReservedName(name)).not.toBeNull();
      }),
      { numRuns: 3000 },
    );
  });

  it("every reserved word matches unchanged, and with each letter replaced by its look-alike digit", () => {
    for (const word of words) {
      const name = [...word].map((letter) => digitFor[letter]?.[0] ?? letter).join("");
      expect(findReservedName(word)).toBe(bare(word));
      if (/[a-z]/.test(name)) expect(findReservedName(name), name).not.toBeNull();
    }
  });

  it("ordinary names stay free", () => {
    expect(ordinary.length).toBeGreaterThanOrEqual(100);
    expect(ordinary.filter((name) => !isAliasName(name))).toEqual([]);
    expect(ordinary.filter((name) => findReservedName(name) !== null)).toEqual([]);
    expect([...neverReserved].filter((name) => findReservedName(name) !== null)).toEqual([]);
  });

  it("a reserved word inside a longer name is free", () => {
    const free = words.filter(
      (word) => findReservedName(`${word}-kq7`) !== null || findReservedName(`kq${word}`) !== null,
    );
    // `bounce-…` is one of the forms of our own bounce addresses.
    expect(free).toEqual(["bounce", "bounces"]);
  });

  it.each([
    ["srs0", "srs0"],
    ["SRS1", "srs1"],
    ["srs0-ann", "srs0"],
    ["srs1anything", "srs1"],
    ["srs0=k7dq2mxa=TT=example.org=ann", "srs0"],
    ["bounce", "bounce"],
    ["bounces.7", "bounces"],
    ["r.abcdefghijklmnop2345", "r"],
    ["R.ABCDEFGHIJKLMNOP2345", "r"],
    ["r-abcde-fghij-klmno-p2345", "r"],
    ["R-ABCDEFGHIJKLMNOP2345", "r"],
    ["r-a-bcdefghijklmno--p2345", "r"],
  ])("%s, a form of our own addresses, is reserved as %s", (name, word) => {
    expect(findReservedName(name)).toBe(word);
  });

  it.each([
    "r.abcdefghijklmnop234",
    "r.abcdefghijklmnop23456",
    "r.abcdefghijklmnop2341",
    "r.abcde-fghij-klmno-p2345",
    "r-abcde-fghij-klmno-p234",
    "r-abcde-fghij-klmno-p2341",
    "rabcdefghijklmnop2345",
    "r_abcdefghijklmnop2345",
  ])("%s resembles a reply address but is free", (name) => {
    expect(findReservedName(name)).toBeNull();
  });

  it("an address that proves that mail works is reserved, and no other name like it", () => {
    expect(findReservedName("Probe-abcd-2345-wxyz")).toBe("probe");
    for (const name of ["probe", "probe-abo", "probe-abcd-2345-wxy", "probe-abcd-2345-wxyz-a", "probe-abcd-2345-wx1z"])
      expect(findReservedName(name), name).toBeNull();
  });

  it("answers for any text within half a second, whatever its length", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void findReservedName(text)));
    for (const unit of ["1", "l1", "rn", "vv", "o0", "."]) {
      for (const length of [64, 65_536]) {
        const began = performance.now();
        findReservedName(unit.repeat(length / unit.length));
        expect(performance.now() - began).toBeLessThan(500);
      }
    }
    expect(findReservedName("a".repeat(65))).toBeNull();
  });
});

describe("on an account's own domain", () => {
  it.each([
    ["postmaster", "postmaster"],
    ["Abuse", "abuse"],
    ["r-mfrgg-zdfmz-twq2l-knnwg", "r"],
    ["r.mfrggzdfmztwq2lknnwg", "r"],
    ["SRS0=abc=TT=example.org=ann", "srs0"],
    ["srs1-x", "srs1"],
    ["bounces-7", "bounces"],
    ["probe-abcd-efgh-ijkl", "probe"],
  ])("%s is reserved, as %s", (name, reserved) => {
    expect(findReservedOnOwnDomain(name)).toBe(reserved);
  });

  it.each([
    "admin",
    "info",
    "support",
    "paypal",
    "root",
    "bounce",
    "probe",
    "post.master",
    "r",
    "no-reply",
    "webmaster",
  ])("%s is free", (name) => {
    expect(findReservedOnOwnDomain(name)).toBeNull();
  });
});

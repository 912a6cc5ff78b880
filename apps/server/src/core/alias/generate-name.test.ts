import { aliasFormats, aliasWordsMin, generatedNames, isAliasName, limits, nameEntropyBits } from "@kauke/contract";
import { aliasWords } from "@kauke/contract/alias-words";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { systemRandom } from "../../operate/random.ts";
import type { Random } from "../ports.ts";
import { generateName } from "./generate-name.ts";

const sites = fc.oneof(
  fc.constant(null),
  fc.stringMatching(new RegExp(`^[a-z0-9]([a-z0-9-]{0,${generatedNames.site.nameMax - 2}}[a-z0-9])?$`)),
);

describe("a generated name", () => {
  it("is a valid alias name of at most 64 characters, in lower case, for every format and site", () => {
    fc.assert(
      fc.property(fc.constantFrom(...aliasFormats), sites, (format, site) => {
        const name = generateName(format, systemRandom, site);
        expect(isAliasName(name), name).toBe(true);
        expect(name).toBe(name.toLowerCase());
        expect(name.length).toBeLessThanOrEqual(limits.aliasNameMax);
      }),
      { numRuns: 2000 },
    );
  });

  it("matches the pattern of its format", () => {
    const { characters, words, site } = generatedNames;
    const drawn = `[${characters.alphabet}]`;
    const word = "[a-z]{3,8}";
    expect(generateName("characters", systemRandom)).toMatch(new RegExp(`^${drawn}{${characters.length}}$`));
    expect(generateName("site", systemRandom)).toMatch(new RegExp(`^${drawn}{${characters.length}}$`));
    expect(generateName("site", systemRandom, "shop")).toMatch(new RegExp(`^shop\\.${drawn}{${site.suffixLength}}$`));
    expect(generateName("words", systemRandom)).toMatch(
      new RegExp(`^(?:${word}\\.){${words.words}}\\d{${words.digits}}$`),
    );
    expect(generateName("uuid", systemRandom)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-/);
  });

  it("has as many bits of randomness as the contract states", () => {
    const { characters, words, site } = generatedNames;
    const perCharacter = Math.log2(new Set(characters.alphabet).size);
    expect(characters.alphabet.length).toBe(new Set(characters.alphabet).size);
    expect({
      characters: Math.floor(characters.length * perCharacter),
      words: Math.floor(words.words * Math.log2(aliasWordsMin) + words.digits * Math.log2(10)),
      // RFC 9562: 6 of the 128 bits of a version 4 UUID are fixed.
      uuid: 128 - 6,
      site: Math.floor(site.suffixLength * perCharacter),
    }).toEqual(nameEntropyBits);
    expect(nameEntropyBits.characters).toBeGreaterThanOrEqual(60);
    expect(nameEntropyBits.words).toBeGreaterThanOrEqual(40);
    expect(nameEntropyBits.site).toBeGreaterThanOrEqual(20);
  });

  it("draws every character, word and number with the same probability", () => {
    const draws = 22_000;
    const counts = new Map<string, number>();
    for (let n = 0; n < draws / generatedNames.characters.length; n++)
      for (const one of generateName("characters", systemRandom)) counts.set(one, (counts.get(one) ?? 0) + 1);
    const expected = draws / generatedNames.characters.alphabet.length;
    // Limit of five standard deviations: the test fails by chance once in a hundred thousand runs.
    for (const [character, count] of counts)
      expect(Math.abs(count - expected), character).toBeLessThan(5 * Math.sqrt(expected));
    expect(counts.size).toBe(generatedNames.characters.alphabet.length);
  });

  it("skips random numbers that would make some words more likely, and can yield the first and the last word", () => {
    const last = aliasWords.length - 1;
    const draws = [2 ** 32 - 1, 0, last, 2 * aliasWords.length - 1, 99];
    expect(generateName("words", drawing(draws))).toBe(
      [aliasWords[0], aliasWords[last], aliasWords[last], 99].join("."),
    );
    expect(generateName("words", drawing([0, 0, 0, 7]))).toMatch(/\.07$/);
  });
});

/** A source of randomness that yields the given numbers below 2^32 in turn. */
function drawing(numbers: number[]): Random {
  const left = [...numbers];
  return {
    bytes: () => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(left.shift() ?? 0);
      return bytes;
    },
    uuid: () => systemRandom.uuid(),
  };
}

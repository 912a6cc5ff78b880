/** Generated alias names: their formats, how each is generated, and how hard it is to guess. */

/**
 * Formats of generated alias names. `characters`: random letters and digits; `words`: words and a number; `uuid`: a
 * random UUID; `site`: the name of the site that the alias is used at, and random characters.
 */
export const aliasFormats = ["characters", "words", "uuid", "site"] as const;
export type AliasFormat = (typeof aliasFormats)[number];

/** Formats that an account can choose as its default: `site` needs the name of a site in each call. */
export const defaultFormats = ["characters", "words", "uuid"] as const satisfies readonly AliasFormat[];
export type DefaultFormat = (typeof defaultFormats)[number];

/**
 * Characters of generated names. Without look-alikes (0 and o, 1 and l, 2 and z, 5 and s, 8 and b), and without vowels,
 * y, and the digits 3 and 4 that resemble vowels, so that no word comes about by chance.
 */
const alphabet = "bcdfghjkmnpqrtvwx25679";

/** Minimum number of words in the list from which the format `words` draws. */
export const aliasWordsMin = 7000;

export const generatedNames = {
  characters: { alphabet, length: 14 },
  words: { words: 3, digits: 2, separator: "." },
  /** Format `site`: maximum characters of the site's name, and number of random characters after the separator. */
  site: { nameMax: 24, suffixLength: 5, separator: "." },
} as const;

/** Bits of entropy of a generated name by format, rounded down: one guess succeeds with probability 1 in 2^bits. */
export const nameEntropyBits: Readonly<Record<AliasFormat, number>> = {
  characters: 62,
  words: 44,
  uuid: 122,
  site: 22,
};

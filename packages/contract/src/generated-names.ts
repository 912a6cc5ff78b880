/** `uuid`: a random UUID; `site`: the site's name and random characters. */
export const aliasFormats = ["characters", "words", "uuid", "site"] as const;
export type AliasFormat = (typeof aliasFormats)[number];

/** Default formats for generated names, without `site`, which needs the name of a site in each call. */
export const defaultFormats = ["characters", "words", "uuid"] as const satisfies readonly AliasFormat[];
export type DefaultFormat = (typeof defaultFormats)[number];

/** Characters of random names: no look-alikes, vowels or digits like vowels, so that no word comes about by chance. */
const alphabet = "bcdfghjkmnpqrtvwx25679";

/** Minimum number of words from which the format `words` draws. */
export const aliasWordsMin = 7000;

export const generatedNames = {
  characters: { alphabet, length: 14 },
  words: { words: 3, digits: 2, separator: "." },
  site: { nameMax: 24, suffixLength: 5, separator: "." },
} as const;

/** Entropy of a name: one guess succeeds with probability 1 in 2^bits. */
export const nameEntropyBits: Readonly<Record<AliasFormat, number>> = {
  characters: 62,
  words: 44,
  uuid: 122,
  site: 22,
};

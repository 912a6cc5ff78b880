/** Generates names of aliases. Pure, given a source of randomness. */
import { type AliasFormat, generatedNames } from "@kauke/contract";
import { aliasWords } from "@kauke/contract/alias-words";
import type { Random } from "../ports.ts";

/**
 * Generates a name for an alias; it may turn out to be reserved or taken.
 * @param site name of the website, as `siteName` returns it; used by the format `site`, which equals `characters`
 * without it
 * @returns e.g. `kq7mhx2vcbt9rf`, `river.candle.mango.42`, a UUID, or `shop.k7wnb`
 */
export function generateName(format: AliasFormat, random: Random, site: string | null = null): string {
  if (format === "uuid") return random.uuid().toLowerCase();
  if (format === "words") return randomWords(random);
  if (format === "characters" || site === null) return randomCharacters(random, generatedNames.characters.length);
  const { separator, suffixLength } = generatedNames.site;
  return `${site}${separator}${randomCharacters(random, suffixLength)}`;
}

function randomWords(random: Random): string {
  const { words, digits, separator } = generatedNames.words;
  const chosen = Array.from({ length: words }, () => aliasWords[randomBelow(random, aliasWords.length)]);
  const number = randomBelow(random, 10 ** digits);
  return [...chosen, String(number).padStart(digits, "0")].join(separator);
}

function randomCharacters(random: Random, length: number): string {
  const { alphabet } = generatedNames.characters;
  return Array.from({ length }, () => alphabet[randomBelow(random, alphabet.length)]).join("");
}

const SPAN = 2 ** 32;

/**
 * Random integer from 0 to `bound` - 1, all equally likely. Values below 2^32 from the last, incomplete run of `bound`
 * values are drawn again.
 */
function randomBelow(random: Random, bound: number): number {
  for (;;) {
    const drawn = random.bytes(4).readUInt32BE();
    if (drawn < SPAN - (SPAN % bound)) return drawn % bound;
  }
}

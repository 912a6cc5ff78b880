/**
 * Which alias names are reserved (specification section 5), including disguised spellings. The whole name is compared,
 * never a part: `badminton` and `tadmin` are free. The browser loads this file lazily, so it imports no schema library.
 * Words and categories are in `reserved-names-data.ts`.
 *
 * Recognised as disguise: case; dots, hyphens, underscores anywhere; a digit for the letter it resembles, as long as
 * one letter is left; three or more of a letter in place of fewer; in words of at least five letters `rn` for m and
 * `vv` for w; in words of at least six letters one letter doubled, except the last (Legall, Salles and Targett are
 * surnames).
 */
import { neverReserved, reservedNames } from "./reserved-names-data.ts";

const RESEMBLES: Record<string, string> = {
  a: "4",
  b: "86",
  e: "3",
  g: "96",
  i: "1",
  l: "1",
  o: "0",
  s: "5",
  t: "7",
  z: "2",
};
/**
 * Maps characters that can stand for each other to one of them. Coarser than the rule: it only selects candidate words.
 */
const GROUPS: Record<string, string> = {
  "0": "o",
  "1": "l",
  i: "l",
  "2": "z",
  "3": "e",
  "4": "a",
  "5": "s",
  "6": "b",
  "7": "t",
  "8": "b",
  "9": "b",
  g: "b",
};
const LONGEST_NAME = 64;
/**
 * The two forms of a reply address, as `reply-address.ts` in mail-rfc writes them: twenty characters after `r.`, or
 * after `r-` with hyphens anywhere between them.
 */
const REPLY_ADDRESS = /^r(?:\.[a-z2-7]{20}|-(?:[a-z2-7]-*){19}[a-z2-7])$/;
const OWN_PREFIX = /^(srs[01])|^(bounces?)[._-]/;

const words: ReadonlySet<string> = new Set(Object.values(reservedNames).flat().map(withoutSeparators));
const wordsBySieve: ReadonlyMap<string, string[]> = Map.groupBy(words, sieve);
const disguises = new Map<string, RegExp>();

/**
 * Tells whether a name is reserved. The time does not grow with the number of reserved words.
 * @param name an alias name; a text too long for one is not reserved
 * @returns the reserved word it stands for (`adm1n` → `admin`, a reply address → `r`), `null` when the name is free
 */
export function findReservedName(name: string): string | null {
  if (name.length > LONGEST_NAME) return null;
  const lower = name.toLowerCase();
  if (REPLY_ADDRESS.test(lower)) return "r";
  const bare = withoutSeparators(lower);
  if (words.has(bare)) return bare;
  const own = OWN_PREFIX.exec(lower);
  if (own) return own[1] ?? own[2] ?? null;
  if (!/[a-z]/.test(bare) || neverReserved.has(bare)) return null;
  return wordsBySieve.get(sieve(bare))?.find((word) => disguiseOf(word).test(bare)) ?? null;
}

function withoutSeparators(name: string): string {
  return name.replace(/[._-]/g, "");
}

function sieve(bare: string): string {
  return bare
    .replace(/[0-9ig]/g, (character) => GROUPS[character] ?? character)
    .replaceAll("rn", "m")
    .replaceAll("vv", "w")
    .replace(/(.)\1+/g, "$1");
}

function disguiseOf(word: string): RegExp {
  const known = disguises.get(word);
  if (known) return known;
  const made = new RegExp(`^${[...word.matchAll(/(.)\1*/g)].map((run) => runPattern(run, word.length)).join("")}$`);
  disguises.set(word, made);
  return made;
}

/** Pattern of one run of a letter, e.g. `oo` → `[o0]{2}`, or more repetitions than in the word. */
function runPattern(run: RegExpMatchArray, wordLength: number): string {
  const [letters] = run;
  const letter = letters[0] ?? "";
  const one = onePattern(letter, wordLength);
  const isLast = (run.index ?? 0) + letters.length === wordLength;
  const doubled = wordLength >= 6 && !isLast ? [`${one}{${letters.length + 1}}`] : [];
  const stretched = `${one}{${Math.max(3, letters.length + 1)},}`;
  return `(?:${[`${one}{${letters.length}}`, ...doubled, stretched].join("|")})`;
}

function onePattern(letter: string, wordLength: number): string {
  const characters = `[${letter}${RESEMBLES[letter] ?? ""}]`;
  if (wordLength >= 5 && letter === "m") return `(?:${characters}|rn)`;
  if (wordLength >= 5 && letter === "w") return `(?:${characters}|vv)`;
  return characters;
}

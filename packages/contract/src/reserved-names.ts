/**
 * Which alias names are reserved, disguised spellings included. The whole name is compared: `badminton` is free. Loaded
 * lazily by the browser, so without a schema library.
 * Disguise: case; dots, hyphens, underscores; a digit for a letter; three or more of a letter; from five letters on
 * `rn` for m and `vv` for w; from six on one letter doubled, except the last (Legall and Targett are surnames).
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
/** Groups of look-alike characters, coarser than the rule: they only select candidate words. */
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
/** Form of a reply address (`reply-address.ts` in mail-rfc): `r.` or `r-` and twenty characters, with hyphens. */
const REPLY_ADDRESS = /^r(?:\.[a-z2-7]{20}|-(?:[a-z2-7]-*){19}[a-z2-7])$/;
/** Local part of an address with which the operator proves that mail works; it has 60 random bits. */
export const probeName = /^probe(?:-[a-z2-7]{4}){3}$/;
const OWN_PREFIX = /^(srs[01])|^(bounces?)[._-]/;

const words: ReadonlySet<string> = new Set(Object.values(reservedNames).flat().map(withoutSeparators));
const wordsBySieve: ReadonlyMap<string, string[]> = Map.groupBy(words, sieve);
const disguises = new Map<string, RegExp>();

/** Finds the reserved name that a text resembles: `adm1n` → `admin`, a reply address → `r`; `null` when free. */
export function findReservedName(name: string): string | null {
  if (name.length > LONGEST_NAME) return null;
  const lower = name.toLowerCase();
  const bare = withoutSeparators(lower);
  if (words.has(bare)) return bare;
  const ours = findServerName(lower);
  if (ours !== null) return ours;
  if (!/[a-z]/.test(bare) || neverReserved.has(bare)) return null;
  return wordsBySieve.get(sieve(bare))?.find((word) => disguiseOf(word).test(bare)) ?? null;
}

/** Names at which somebody else must reach whoever runs a domain's mail (RFC 2142). */
const ofEveryDomain: ReadonlySet<string> = new Set(["postmaster", "abuse"]);

/** As `findReservedName`, on an account's own domain: its owner may use all names but those that the server needs. */
export function findReservedOnOwnDomain(name: string): string | null {
  const lower = name.toLowerCase();
  return ofEveryDomain.has(lower) ? lower : findServerName(lower);
}

/** Patterns of addresses that the server itself makes: for replies, proofs of mail, SRS and bounces. */
function findServerName(lower: string): string | null {
  if (REPLY_ADDRESS.test(lower)) return "r";
  if (probeName.test(lower)) return "probe";
  const own = OWN_PREFIX.exec(lower);
  return own ? (own[1] ?? own[2] ?? null) : null;
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

/** Pattern of a run of a letter: `oo` → `[o0]{2}`, or more repetitions than in the word. */
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

/**
 * Finds the aliases that match the text typed into the command palette, best match first. Pure. With 5,000 aliases a
 * key press has to be handled within one frame, so texts are split into words once per list, and only the best matches
 * are sorted.
 */
import type { AliasWire } from "@kauke/contract";
import { addressOf, isActive } from "../aliases/alias-text.ts";
import type { LabelsById } from "../aliases/list/list-view.ts";

/** Parses the text typed into the command palette: a verb and the alias that it acts on, or a search. Pure. */

export type Verb = "open" | "copy" | "pause" | "activate";

const verbs: readonly Verb[] = ["copy", "pause", "activate"];

/** State that an alias must have so that a verb can act on it. */
export const wantedBy: Record<Verb, Wanted> = { open: "any", copy: "any", pause: "active", activate: "paused" };

interface Query {
  verb: Verb;
  /** Text after the verb, by which aliases are searched. */
  typed: string;
}

/**
 * Parses the text of the palette. A word is a verb only if a blank follows it, so that an alias named `copy` can be
 * found.
 * @example readQuery("pause sho") // { verb: "pause", typed: "sho" }
 */
export function readQuery(text: string): Query {
  const [, word = "", rest = ""] = /^\s*(\S+)\s+(.*)$/s.exec(text) ?? [];
  const verb = verbs.find((known) => known === word.toLowerCase());
  return verb === undefined ? { verb: "open", typed: text.trim() } : { verb, typed: rest.trim() };
}

interface IndexedAlias {
  alias: AliasWire;
  /** All searched texts of the alias; an alias whose text lacks a typed word is rejected by this field alone. */
  all: string;
  /** Address of the alias in lower case. */
  address: string;
  /** Words of the address in lower case, each after a space, so that ` tex` finds the words that begin with `tex`. */
  addressWords: string;
  labelWords: string;
  noteWords: string;
}

/** Splits a text into lower-case words for the search: `Shop.K7@kauke.test` becomes ` shop k7 kauke test`. */
const wordsOf = (text: string): string => ` ${text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, " ")}`;

export function indexForPalette(aliases: readonly AliasWire[], labels: LabelsById): IndexedAlias[] {
  return aliases.map((alias) => {
    const address = addressOf(alias).toLowerCase();
    const addressWords = wordsOf(address);
    const labelWords = wordsOf(alias.labels.map((id) => labels.get(id)?.name ?? "").join(" "));
    const noteWords = alias.notes === null ? "" : wordsOf(alias.notes);
    return { alias, all: `${address}${labelWords}${noteWords}`, address, addressWords, labelWords, noteWords };
  });
}

/** Score of a typed word by the place where it was found; the examples match the typed word `sho`. */
const worth = {
  /** Beginning of the name: `sho` in `shop.k7@kauke.test`. */
  name: 16,
  /** Beginning of another word of the address: `sho` in `my.shop@kauke.test`. */
  addressWord: 8,
  /** Beginning of a word of a label: `sho` in `Shops`. */
  label: 4,
  /** Beginning of a word of the notes: `sho` in `for a shop`. */
  note: 2,
  /** Inside a word: `sho` in `workshop@kauke.test`. */
  inside: 1,
} as const;

function worthOf(word: string, { all, address, addressWords, labelWords, noteWords }: IndexedAlias): number {
  if (!all.includes(word)) return 0;
  if (address.startsWith(word)) return worth.name;
  const begun = ` ${word}`;
  if (addressWords.includes(begun)) return worth.addressWord;
  if (labelWords.includes(begun)) return worth.label;
  if (noteWords.includes(begun)) return worth.note;
  return worth.inside;
}

/**
 * Sum of the scores of all typed words in an alias.
 * @returns 0 if one of the words is not found
 */
function scoreOf(words: readonly string[], entry: IndexedAlias): number {
  let sum = 0;
  for (const word of words) {
    const found = worthOf(word, entry);
    if (found === 0) return 0;
    sum += found;
  }
  return sum;
}

interface Scored {
  score: number;
  alias: AliasWire;
}

/**
 * Inserts an alias into the best matches, sorted by score, and drops any beyond `limit`. Of equal scores the earlier
 * one stays first.
 */
function insert(best: Scored[], scored: Scored, limit: number): void {
  let place = best.length;
  while (place > 0 && (best[place - 1] as Scored).score < scored.score) place--;
  if (place >= limit) return;
  best.splice(place, 0, scored);
  if (best.length > limit) best.pop();
}

const PINNED_BONUS = 0.5;

/** State that found aliases must have, e.g. `active` for those that are to be paused. */
type Wanted = "any" | "active" | "paused";

interface Question {
  /** The typed text; if it has no words, every alias matches. */
  typed: string;
  wanted?: Wanted;
  limit: number;
}

interface Ranked {
  aliases: AliasWire[];
  /** Whether a found alias' name begins with the typed text. */
  hasName: boolean;
}

/**
 * Finds the aliases that match a typed text, best match first.
 * @example rankAliases(index, { typed: "sho", limit: 20 }).aliases[0].alias // "shop.k7"
 */
export function rankAliases(index: readonly IndexedAlias[], { typed, wanted = "any", limit }: Question): Ranked {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const best: Scored[] = [];
  for (const entry of index) {
    const { alias } = entry;
    if (wanted !== "any" && isActive(alias) !== (wanted === "active")) continue;
    const score = words.length === 0 ? 1 : scoreOf(words, entry);
    if (score > 0) insert(best, { alias, score: alias.pinned ? score + PINNED_BONUS : score }, limit);
  }
  return {
    aliases: best.map(({ alias }) => alias),
    hasName: words.length > 0 && (best[0]?.score ?? 0) >= worth.name * words.length,
  };
}

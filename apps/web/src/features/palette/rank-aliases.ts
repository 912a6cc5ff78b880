/**
 * Finds the aliases that fit what was typed into the command palette, best first. Pure. With 5,000 aliases a key press
 * has to fit into one frame: the texts are taken apart once per list, and only the best few are kept in order.
 */
import type { AliasWire } from "@kauke/contract";
import { addressOf, isActive } from "../aliases/alias-text.ts";
import type { LabelsById } from "../aliases/list-view.ts";

export interface IndexedAlias {
  alias: AliasWire;
  /** All texts, to leave out at once what a word is not in. */
  all: string;
  /** Lower-case address. */
  address: string;
  /** Lower-case words, each after a space, so that ` tex` finds the words that begin with `tex`. */
  addressWords: string;
  labelWords: string;
  noteWords: string;
}

/** Words as they are searched: `Shop.K7@kauke.test` becomes ` shop k7 kauke test`. */
const wordsOf = (text: string): string => ` ${text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, " ")}`;

export function indexAliases(aliases: readonly AliasWire[], labels: LabelsById): IndexedAlias[] {
  return aliases.map((alias) => {
    const address = addressOf(alias).toLowerCase();
    const addressWords = wordsOf(address);
    const labelWords = wordsOf(alias.labels.map((id) => labels.get(id)?.name ?? "").join(" "));
    const noteWords = alias.notes === null ? "" : wordsOf(alias.notes);
    return { alias, all: `${address}${labelWords}${noteWords}`, address, addressWords, labelWords, noteWords };
  });
}

/** What a typed word is worth where it was found; the example has `sho` typed. */
const worth = {
  /** `shop.k7@kauke.test` */
  name: 16,
  /** `my.shop@kauke.test` */
  addressWord: 8,
  /** Label `Shops` */
  label: 4,
  /** Notes `for a shop` */
  note: 2,
  /** `workshop@kauke.test` */
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

/** Every typed word must be found. @returns 0 if one is not */
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

/** Keeps the best `limit` in order; of two equal ones the one that came first stays before the other. */
function insert(best: Scored[], scored: Scored, limit: number): void {
  let place = best.length;
  while (place > 0 && (best[place - 1] as Scored).score < scored.score) place--;
  if (place >= limit) return;
  best.splice(place, 0, scored);
  if (best.length > limit) best.pop();
}

const PINNED_BONUS = 0.5;

/** Whether an alias that is to be paused is active, or the other way round. */
export type Wanted = "any" | "active" | "paused";

interface Question {
  /** As typed; without a word every alias fits. */
  typed: string;
  wanted?: Wanted;
  limit: number;
}

interface Ranked {
  aliases: AliasWire[];
  /** Whether a name begins with what was typed. */
  hasName: boolean;
}

/** @example rankAliases(index, { typed: "sho", limit: 20 }).aliases[0].alias // "shop.k7" */
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

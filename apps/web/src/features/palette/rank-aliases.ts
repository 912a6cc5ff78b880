/** Ranks 5,000 aliases within one frame: words are split once per list, and only the best matches are sorted. */
import type { AliasWire } from "@kauke/contract";
import { t } from "../../texts/texts.ts";
import { addressOf, isActive } from "../aliases/alias-text.ts";
import type { LabelsById } from "../aliases/list/list-view.ts";

export type Verb = "open" | "copy" | "pause" | "activate";

type TypedVerb = Exclude<Verb, "open">;

/** The verbs as they are typed; the English ones work in every language. */
export const verbNames: Record<TypedVerb, string> = { copy: t("copy"), pause: t("pause"), activate: t("activate") };

const verbs = Object.keys(verbNames) as TypedVerb[];

/** State of the aliases that a verb can act on. */
export const wantedBy: Record<Verb, Wanted> = { open: "any", copy: "any", pause: "active", activate: "paused" };

interface Query {
  verb: Verb;
  /** The text after the verb. */
  typed: string;
}

/**
 * A verb needs a blank after it: aliases may be named `copy`.
 * @example readQuery("pause sho") // { verb: "pause", typed: "sho" }
 */
export function readQuery(text: string): Query {
  const [, word = "", rest = ""] = /^\s*(\S+)\s+(.*)$/s.exec(text) ?? [];
  const lower = word.toLowerCase();
  const verb = verbs.find((known) => known === lower || verbNames[known] === lower);
  return verb === undefined ? { verb: "open", typed: text.trim() } : { verb, typed: rest.trim() };
}

interface IndexedAlias {
  alias: AliasWire;
  /** All texts of an alias: one without a typed word is rejected by this alone. */
  all: string;
  address: string;
  /** Words of the address, each after a space, so that ` tex` finds words that begin with `tex`. */
  addressWords: string;
  labelWords: string;
  noteWords: string;
}

/** @example wordsOf("Shop.K7@kauke.test") // " shop k7 kauke test" */
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

/** By where `sho` is found: `shop.k7@…`, `my.shop@…`, a label `Shops`, notes `for a shop`, `workshop@…`. */
const worth = {
  name: 16,
  addressWord: 8,
  label: 4,
  note: 2,
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

/** Score of an alias; 0 if one of the words is not found. */
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

/** Inserts by score; of equal scores the earlier one stays first. */
function insert(best: Scored[], scored: Scored, limit: number): void {
  let place = best.length;
  while (place > 0 && (best[place - 1] as Scored).score < scored.score) place--;
  if (place >= limit) return;
  best.splice(place, 0, scored);
  if (best.length > limit) best.pop();
}

const PINNED_BONUS = 0.5;

/** State of wanted aliases: `active` for those to be paused. */
type Wanted = "any" | "active" | "paused";

interface Question {
  /** Typed words; without any, every alias matches. */
  typed: string;
  wanted?: Wanted;
  limit: number;
}

interface Ranked {
  aliases: AliasWire[];
  /** Whether some alias' name begins with the typed text. */
  hasName: boolean;
}

/** Best match first. @example rankAliases(index, { typed: "sho", limit: 20 }).aliases[0].alias // "shop.k7" */
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

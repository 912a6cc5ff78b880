/** A search in 5,000 aliases must fit into one frame, so texts and order are computed once per list. */
import type { AliasWire, LabelWire } from "@kauke/contract";
import { t } from "../../../texts/texts.ts";
import { countText } from "../../../ui/text/count-text.ts";
import { addressOf, destinationText, isActive } from "../alias-text.ts";

export const pageSizes = [10, 25, 50, 100] as const;

const PAGE_BUTTONS = 5;

interface Indexed {
  alias: AliasWire;
  /** Searched text of an alias, in lower case, one line per field, so that no match spans two. */
  haystack: string;
}

export type LabelsById = ReadonlyMap<string, LabelWire>;

/** A change of one alias leaves the texts of the others. */
const known = new WeakMap<AliasWire, { labels: LabelsById; entry: Indexed }>();
const noLabels: LabelsById = new Map();

export function indexAliases(aliases: readonly AliasWire[], labels = noLabels): Indexed[] {
  return aliases.map((alias) => {
    const before = known.get(alias);
    if (before?.labels === labels) return before.entry;
    const names = alias.labels.map((id) => `\n${labels.get(id)?.name ?? ""}`).join("");
    const text = `${addressOf(alias)}\n${destinationText(alias)}\n${alias.notes ?? ""}${names}`;
    const entry = { alias, haystack: text.toLowerCase() };
    known.set(alias, { labels, entry });
    return entry;
  });
}

export const listSorts = ["newest", "name", "domain"] as const;
export type ListSort = (typeof listSorts)[number];

/** Orders pinned aliases first; the input is newest first. */
export function orderAliases(indexed: readonly Indexed[], sort: ListSort): readonly Indexed[] {
  const sorted = sort === "newest" ? indexed : sortedBy(indexed, sort);
  if (!sorted.some(({ alias }) => alias.pinned)) return sorted;
  return [...sorted.filter(({ alias }) => alias.pinned), ...sorted.filter(({ alias }) => !alias.pinned)];
}

function sortedBy(indexed: readonly Indexed[], sort: "name" | "domain"): Indexed[] {
  // The searched text begins with the address, so it sorts by address too.
  const keyed = indexed.map((entry) => ({
    entry,
    key: sort === "name" ? entry.haystack : `${entry.alias.domain}\n${entry.haystack}`,
  }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return keyed.map(({ entry }) => entry);
}

export const stateFilters = ["all", "active", "paused", "pinned", "unconfirmed"] as const;
type StateFilter = (typeof stateFilters)[number];
/** A filter is a state, or the id of a label. */
export type ListFilter = StateFilter | { label: string };

const fits: Record<StateFilter, (alias: AliasWire) => boolean> = {
  all: () => true,
  active: isActive,
  paused: (alias) => !isActive(alias),
  pinned: (alias) => alias.pinned,
  unconfirmed: (alias) => (alias.unconfirmed ?? []).length > 0,
};

export function filterAliases(indexed: readonly Indexed[], filter: ListFilter): readonly Indexed[] {
  if (filter === "all") return indexed;
  const isFit = typeof filter === "string" ? fits[filter] : (alias: AliasWire) => alias.labels.includes(filter.label);
  return indexed.filter(({ alias }) => isFit(alias));
}

/** Counts aliases by the name of the state or the id of the label. */
export function countByFilter(aliases: readonly AliasWire[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>(
    stateFilters.map((state) => [state, aliases.filter((alias) => fits[state](alias)).length]),
  );
  for (const { labels } of aliases) for (const id of labels) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/** Finds aliases, in any letter case. */
export function searchAliases(indexed: readonly Indexed[], query: string): AliasWire[] {
  const needle = query.trim().toLowerCase();
  const found = needle === "" ? indexed : indexed.filter((entry) => entry.haystack.includes(needle));
  return found.map((entry) => entry.alias);
}

interface PageView<T> {
  items: T[];
  /** Page number from 1, limited to the last page. */
  page: number;
  pages: number;
  /** Which aliases the page shows, e.g. "41–48 of 48". */
  range: string;
  /** Page numbers with a button: at most five, around the current page. */
  buttons: number[];
}

/** @param wanted page number, from 1 */
export function listPage<T>(items: readonly T[], wanted: number, size: number): PageView<T> {
  const pages = Math.max(1, Math.ceil(items.length / size));
  const page = Math.min(Math.max(1, wanted), pages);
  const start = (page - 1) * size;
  const shown = items.slice(start, start + size);
  const range =
    items.length === 0
      ? t("0 of 0")
      : t("{first}–{last} of {count}", {
          first: countText(start + 1),
          last: countText(start + shown.length),
          count: countText(items.length),
        });
  return { items: shown, page, pages, range, buttons: pageButtons(page, pages) };
}

export function pageButtons(page: number, pages: number): number[] {
  const length = Math.min(PAGE_BUTTONS, pages);
  const centred = page - Math.floor(PAGE_BUTTONS / 2);
  const first = Math.max(1, Math.min(centred, pages - length + 1));
  return Array.from({ length }, (_, index) => first + index);
}

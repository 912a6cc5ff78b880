/**
 * Search, page and pager of the alias list as pure functions. Searching 5,000 aliases has to fit into one frame, so
 * each alias' searchable text is built once per list, not per key press.
 */
import type { AliasWire } from "@kauke/contract";
import { countText } from "../../ui/text/count-text.ts";
import { addressOf, destinationText } from "./alias-text.ts";

export const pageSizes = [10, 25, 50, 100] as const;

const PAGE_BUTTONS = 5;

interface Indexed {
  alias: AliasWire;
  /**
   * Lower-case text that is searched: address, destinations and notes, each on its own line, so that no match spans
   * two.
   */
  haystack: string;
}

export function indexAliases(aliases: readonly AliasWire[]): Indexed[] {
  return aliases.map((alias) => ({
    alias,
    haystack: `${addressOf(alias)}\n${destinationText(alias)}\n${alias.notes ?? ""}`.toLowerCase(),
  }));
}

/** Case-insensitive search over alias@domain, forwardTo and notes. */
export function searchAliases(indexed: readonly Indexed[], query: string): AliasWire[] {
  const needle = query.trim().toLowerCase();
  const found = needle === "" ? indexed : indexed.filter((entry) => entry.haystack.includes(needle));
  return found.map((entry) => entry.alias);
}

interface PageView<T> {
  items: T[];
  /** Page number from 1 to `pages`, even if the list has become shorter. */
  page: number;
  pages: number;
  /** Range text, e.g. `41–48 of 48`. */
  range: string;
  /** At most five page numbers in ascending order, around the current page. */
  buttons: number[];
}

/** @param wanted number of the requested page, from 1; limited to the last page */
export function pageOf<T>(items: readonly T[], wanted: number, size: number): PageView<T> {
  const pages = Math.max(1, Math.ceil(items.length / size));
  const page = Math.min(Math.max(1, wanted), pages);
  const start = (page - 1) * size;
  const shown = items.slice(start, start + size);
  const range =
    items.length === 0
      ? "0 of 0"
      : `${countText(start + 1)}–${countText(start + shown.length)} of ${countText(items.length)}`;
  return { items: shown, page, pages, range, buttons: pageButtons(page, pages) };
}

export function pageButtons(page: number, pages: number): number[] {
  const length = Math.min(PAGE_BUTTONS, pages);
  const centred = page - Math.floor(PAGE_BUTTONS / 2);
  const first = Math.max(1, Math.min(centred, pages - length + 1));
  return Array.from({ length }, (_, index) => first + index);
}

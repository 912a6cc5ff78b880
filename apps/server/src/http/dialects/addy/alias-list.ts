/** Filters, sorts and paginates lists of aliases as addy.io does: pinned aliases first, then the newest first. Pure. */
import { type Alias, aliasAddress } from "../../../core/alias/alias.ts";
import { mailboxesOf } from "../../../core/destination/unconfirmed-mailboxes.ts";
import type { AliasQuery, PageQuery, SortField } from "./alias-query.ts";

/**
 * Filters and sorts aliases by the query of a list.
 * @param aliases newest first
 * @param isRecipient whether an address is the mailbox that the query names as recipient
 */
export function selectAliases(
  aliases: readonly Alias[],
  query: AliasQuery,
  isRecipient: (address: string) => boolean,
): Alias[] {
  if (query.isForNone) return [];
  const chosen = aliases.filter(
    (alias) =>
      (query.active === undefined || query.active === (alias.routing.state === "active")) &&
      (query.pinned === undefined || query.pinned === alias.pinned) &&
      (query.search === undefined || isFound(alias, query.search)) &&
      (query.recipient === undefined || mailboxesOf(alias).some(isRecipient)),
  );
  const { field, isDescending } = query.sort;
  const compare = comparisons[field] ?? (() => 0);
  // Sorting is stable, so equal aliases stay in order, newest first.
  return chosen.sort((one, other) => {
    const byPin = Number(other.pinned) - Number(one.pinned);
    return byPin !== 0 ? byPin : compare(one, other) * (isDescending ? -1 : 1);
  });
}

function isFound({ name, domain, notes }: Alias, search: string): boolean {
  return aliasAddress(name, domain).includes(search) || (notes?.toLowerCase().includes(search) ?? false);
}

const byText = (textOf: (alias: Alias) => string) => (one: Alias, other: Alias) => {
  const [left, right] = [textOf(one), textOf(other)];
  return left < right ? -1 : left > right ? 1 : 0;
};
const byTime = (one: Alias, other: Alias) => one.createdAt.getTime() - other.createdAt.getTime();

/**
 * Comparisons by the fields in which Kauke's aliases differ. addy.io's other sort fields are counters and times of use,
 * which Kauke does not keep.
 */
const comparisons: Partial<Record<SortField, (one: Alias, other: Alias) => number>> = {
  local_part: byText(({ name }) => name.toLowerCase()),
  domain: byText(({ domain }) => domain),
  email: byText(({ name, domain }) => aliasAddress(name, domain)),
  active: (one, other) => Number(one.routing.state === "active") - Number(other.routing.state === "active"),
  created_at: byTime,
  updated_at: byTime,
};

export interface Page<T> {
  data: T[];
  links: { first: string; last: string; prev: string | null; next: string | null };
  meta: {
    current_page: number;
    from: number | null;
    last_page: number;
    links: { url: string | null; label: string; active: boolean }[];
    path: string;
    per_page: number;
    to: number | null;
    total: number;
  };
}

/**
 * Makes one page of a list in the form of Laravel's pagination.
 * @param items the whole list
 * @param url address of the list, without the page number
 * @param toWire converts an item; called only for the items on the page
 */
export function pageOf<T, W>(
  items: readonly T[],
  { number, size }: PageQuery,
  { url, toWire }: { url: URL; toWire: (item: T) => W },
): Page<W> {
  const start = (number - 1) * size;
  const shown = items.slice(start, start + size);
  const last = Math.max(1, Math.ceil(items.length / size));
  const linkTo = (page: number) => {
    const link = new URL(url);
    link.searchParams.set("page[number]", String(page));
    return link.href;
  };
  const prev = number > 1 ? linkTo(number - 1) : null;
  const next = number < last ? linkTo(number + 1) : null;
  return {
    data: shown.map(toWire),
    links: { first: linkTo(1), last: linkTo(last), prev, next },
    meta: {
      current_page: number,
      from: shown.length === 0 ? null : start + 1,
      last_page: last,
      links: [
        { url: prev, label: "Previous", active: false },
        { url: linkTo(number), label: String(number), active: true },
        { url: next, label: "Next", active: false },
      ],
      path: url.origin + url.pathname,
      per_page: size,
      to: shown.length === 0 ? null : start + shown.length,
      total: items.length,
    },
  };
}

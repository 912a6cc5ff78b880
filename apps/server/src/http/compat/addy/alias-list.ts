/** Filters, sorts and paginates aliases as addy.io does: pinned ones first, then the newest. */
import { type Alias, aliasAddress, mailboxesOf } from "../../../core/alias/alias.ts";
import { filterInSlices, mapInSlices } from "../../../runtime/fair-queue/slices.ts";
import type { AliasQuery, PageQuery, SortField } from "./alias-query.ts";

/** @param aliases newest first @param isRecipient whether an address is the mailbox named in the query */
export async function selectAliases(
  aliases: readonly Alias[],
  query: AliasQuery,
  isRecipient: (address: string) => boolean,
): Promise<Alias[]> {
  if (query.isForNone) return [];
  const chosen = await filterInSlices(
    aliases,
    (alias) =>
      (query.active === undefined || query.active === (alias.routing.state === "active")) &&
      (query.pinned === undefined || query.pinned === alias.pinned) &&
      (query.search === undefined || isFound(alias, query.search)) &&
      (query.recipient === undefined || mailboxesOf(alias).some(isRecipient)),
  );
  const { field, isDescending } = query.sort;
  const keyOf = sortKeys[field] ?? (() => 0);
  const keyed = await mapInSlices(chosen, (alias) => ({ alias, key: keyOf(alias) }));
  keyed.sort((one, other) => {
    const byPin = Number(other.alias.pinned) - Number(one.alias.pinned);
    if (byPin !== 0 || one.key === other.key) return byPin;
    return one.key < other.key === isDescending ? 1 : -1;
  });
  return keyed.map(({ alias }) => alias);
}

function isFound({ name, domain, notes }: Alias, search: string): boolean {
  return aliasAddress(name, domain).includes(search) || (notes?.toLowerCase().includes(search) ?? false);
}

/** addy.io's other sort fields are counters and times of use, which Kauke does not store. */
const sortKeys: Partial<Record<SortField, (alias: Alias) => string | number>> = {
  local_part: ({ name }) => name.toLowerCase(),
  domain: ({ domain }) => domain,
  email: ({ name, domain }) => aliasAddress(name, domain),
  active: ({ routing }) => Number(routing.state === "active"),
  created_at: ({ createdAt }) => createdAt.getTime(),
  updated_at: ({ createdAt }) => createdAt.getTime(),
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

/** One page in the form of Laravel's pagination. @param url of the list, without the page number */
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

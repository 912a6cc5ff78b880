/** A change returns to page 1. The list follows in an interruptible render, so typing never waits for rows. */
import type { AliasWire } from "@kauke/contract";
import { startTransition, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { onUserChange } from "../../../api/session/session.ts";
import {
  countByFilter,
  filterAliases,
  indexAliases,
  type LabelsById,
  type ListFilter,
  type ListSort,
  listPage,
  listSorts,
  orderAliases,
  pageSizes,
  searchAliases,
  stateFilters,
} from "./list-view.ts";
import { useHidden } from "./pending-deletion.ts";

interface Choice {
  query: string;
  size: number;
  page: number;
  filter: ListFilter;
  sort: ListSort;
}

const noLabels: LabelsById = new Map();

/** Without those being deleted. */
export function useShownAliases(aliases: readonly AliasWire[]): readonly AliasWire[] {
  const hidden = useHidden();
  return useMemo(() => (hidden.size === 0 ? aliases : aliases.filter(({ id }) => !hidden.has(id))), [aliases, hidden]);
}

export function useChoice() {
  const [choice, setChoice] = useState<Choice>(() => ({ query: "", size: pageSizes[0], page: 1, ...readView() }));
  const field = useRef<HTMLInputElement>(null);
  const { filter, sort } = choice;
  useEffect(() => storeView({ filter, sort }), [filter, sort]);
  const choose = useCallback(
    (change: Partial<Choice>) => startTransition(() => setChoice((before) => ({ ...before, page: 1, ...change }))),
    [],
  );
  const clear = useCallback(() => {
    if (field.current === null) return;
    field.current.value = "";
    field.current.focus();
    choose({ query: "" });
  }, [choose]);
  return { choice, choose, clear, field };
}

/** @param labels `undefined` until loaded */
export function useListView(
  aliases: readonly AliasWire[],
  labels: LabelsById | undefined,
  { query, page, size, filter: chosen, sort }: Choice,
) {
  // A stored filter's label may be gone.
  const isGone = typeof chosen === "object" && labels !== undefined && !labels.has(chosen.label);
  const filter = isGone ? "all" : chosen;
  const indexed = useMemo(() => indexAliases(aliases, labels ?? noLabels), [aliases, labels]);
  const counts = useMemo(() => countByFilter(aliases), [aliases]);
  const ordered = useMemo(() => orderAliases(indexed, sort), [indexed, sort]);
  const filtered = useMemo(() => filterAliases(ordered, filter), [ordered, filter]);
  const found = useMemo(() => searchAliases(filtered, query), [filtered, query]);
  const view = useMemo(() => listPage(found, page, size), [found, page, size]);
  return { filter, counts, found, view };
}

export type ListView = ReturnType<typeof useChoice> & ReturnType<typeof useListView>;

/** In this tab's storage, as the Privacy Policy says: no label's name, only its id. */
const KEY = "alias-list";

interface StoredView {
  filter: ListFilter;
  sort: ListSort;
}

const first: StoredView = { filter: "all", sort: "newest" };

/** Unknown values become the defaults. */
export function parseView(text: string | null): StoredView {
  try {
    const { filter, sort } = JSON.parse(text ?? "null") as Partial<StoredView>;
    return {
      filter: isFilter(filter) ? filter : first.filter,
      sort: listSorts.find((known) => known === sort) ?? first.sort,
    };
  } catch {
    return first;
  }
}

function isFilter(filter: unknown): filter is ListFilter {
  if (typeof filter === "object" && filter !== null) return "label" in filter && typeof filter.label === "string";
  return stateFilters.some((state) => state === filter);
}

function readView(): StoredView {
  try {
    return parseView(sessionStorage.getItem(KEY));
  } catch {
    return first;
  }
}

/** Defaults are not stored. Storage may be forbidden or full. */
export function storeView(view: StoredView): void {
  try {
    if (view.filter === first.filter && view.sort === first.sort) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify(view));
  } catch {}
}

onUserChange(() => {
  try {
    sessionStorage.removeItem(KEY);
  } catch {}
});

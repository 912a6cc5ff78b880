/**
 * State of the alias list: search, filter, order, page size and page. Every change except of the page returns to page
 * 1. The fields are uncontrolled and the list follows in an interruptible render, so a key press never waits for rows
 * to render.
 */
import type { AliasWire } from "@kauke/contract";
import { startTransition, useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import {
  countByFilter,
  filterAliases,
  indexAliases,
  type LabelsById,
  type ListFilter,
  type ListSort,
  orderAliases,
  pageOf,
  pageSizes,
  searchAliases,
} from "./list-view.ts";
import { readHidden, subscribeToHidden } from "./pending-deletion.ts";
import { readView, storeView } from "./stored-view.ts";

interface Choice {
  query: string;
  size: number;
  page: number;
  filter: ListFilter;
  sort: ListSort;
}

const noLabels: LabelsById = new Map();
const nothingHidden: ReadonlySet<string> = new Set();

/** The aliases of the list without those whose deletion is waiting or in flight. */
export function useShownAliases(aliases: readonly AliasWire[]): readonly AliasWire[] {
  const hidden = useSyncExternalStore(subscribeToHidden, readHidden, () => nothingHidden);
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

/** @param labels labels of the account by id; `undefined` until they are loaded */
export function useListView(
  aliases: readonly AliasWire[],
  labels: LabelsById | undefined,
  { query, page, size, filter: chosen, sort }: Choice,
) {
  // The label of a stored filter may have been deleted.
  const isGone = typeof chosen === "object" && labels !== undefined && !labels.has(chosen.label);
  const filter = isGone ? "all" : chosen;
  const indexed = useMemo(() => indexAliases(aliases, labels ?? noLabels), [aliases, labels]);
  const counts = useMemo(() => countByFilter(aliases), [aliases]);
  const ordered = useMemo(() => orderAliases(indexed, sort), [indexed, sort]);
  const filtered = useMemo(() => filterAliases(ordered, filter), [ordered, filter]);
  const found = useMemo(() => searchAliases(filtered, query), [filtered, query]);
  const view = useMemo(() => pageOf(found, page, size), [found, page, size]);
  return { filter, counts, found, view };
}

export type ListView = ReturnType<typeof useChoice> & ReturnType<typeof useListView>;

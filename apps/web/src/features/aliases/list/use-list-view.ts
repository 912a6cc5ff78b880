/** A changed search, filter or order returns to page 1. Rows follow in an interruptible render: typing never waits. */
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

interface Choice {
  query: string;
  size: number;
  page: number;
  filter: ListFilter;
  sort: ListSort;
}

const noLabels: LabelsById = new Map();

export function useChoice() {
  const [choice, setChoice] = useState<Choice>(() => ({ query: readQuery(), page: 1, ...readView() }));
  const field = useRef<HTMLInputElement>(null);
  const { query, filter, sort, size } = choice;
  useEffect(() => storeView({ filter, sort, size }), [filter, sort, size]);
  useKeptQuery(query);
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

/** Key of the view in this tab's storage: no label's name, only its id, as the Privacy Policy says. */
const KEY = "alias-list";

interface StoredView {
  filter: ListFilter;
  sort: ListSort;
  size: number;
}

const first: StoredView = { filter: "all", sort: "newest", size: pageSizes[0] };

/** Parses a stored view; unknown values become the defaults. */
export function parseView(text: string | null): StoredView {
  try {
    const { filter, sort, size } = JSON.parse(text ?? "null") as Partial<StoredView>;
    return {
      filter: isFilter(filter) ? filter : first.filter,
      sort: listSorts.find((known) => known === sort) ?? first.sort,
      size: pageSizes.find((known) => known === size) ?? first.size,
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

/** Stores a view, without defaults. Storage may be forbidden or full. */
export function storeView(view: StoredView): void {
  try {
    if (view.filter === first.filter && view.sort === first.sort && view.size === first.size)
      sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify(view));
  } catch {}
}

/** What is searched for may be an address, so it is in the history entry, as text in a form is, and in no storage. */
interface SearchState {
  aliasSearch?: string;
}

const readQuery = (): string => {
  const found = (history.state as SearchState | null)?.aliasSearch;
  return typeof found === "string" ? found : "";
};

/** Browsers limit changes of history entries to 100 in 10 seconds. */
const SETTLED_MS = 200;

function useKeptQuery(query: string): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      if (readQuery() === query) return;
      const { aliasSearch: _, ...rest } = (history.state ?? {}) as SearchState;
      history.replaceState(query === "" ? rest : { ...rest, aliasSearch: query }, "");
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  }, [query]);
}

onUserChange(() => {
  if (readQuery() !== "") {
    const { aliasSearch: _, ...rest } = history.state as SearchState;
    history.replaceState(rest, "");
  }
  try {
    sessionStorage.removeItem(KEY);
  } catch {}
});

/**
 * Filter and order of the alias list, kept in this tab's storage until the tab is closed or the user signs out, as the
 * Privacy Policy says. Nothing personal is stored: of a label only its id.
 */
import { onUserChange } from "../../api/session/session.ts";
import { type ListFilter, type ListSort, listSorts, stateFilters } from "./list-view.ts";

const KEY = "alias-list";

export interface StoredView {
  filter: ListFilter;
  sort: ListSort;
}

const first: StoredView = { filter: "all", sort: "newest" };

/** Reads a stored filter and order of the list; an unknown value is replaced by the default. */
export function parseView(text: string | null): StoredView {
  try {
    const { filter, sort } = JSON.parse(text ?? "null") as Partial<StoredView>;
    return {
      filter: isFilter(filter) ? filter : first.filter,
      sort: listSorts.find((it) => it === sort) ?? first.sort,
    };
  } catch {
    return first;
  }
}

function isFilter(filter: unknown): filter is ListFilter {
  if (typeof filter === "object" && filter !== null) return "label" in filter && typeof filter.label === "string";
  return stateFilters.some((state) => state === filter);
}

export function readView(): StoredView {
  try {
    return parseView(sessionStorage.getItem(KEY));
  } catch {
    return first;
  }
}

/**
 * Stores filter and order, unless they are those of the first view: a tab in which nobody chose any stores nothing.
 * Storage may be forbidden or full; then the choice is lost at the next reload.
 */
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

/** Shift selects a range of aliases; Ctrl-A the page, pressed again the whole list; Escape deselects. */
import type { AliasWire } from "@kauke/contract";
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { takesText } from "../list/use-list-keys.ts";

const idsOf = (aliases: readonly AliasWire[]): string[] => aliases.map(({ id }) => id);

const boxOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>("[data-pick]") : null;

interface Listed {
  /** Aliases of all pages, in the list's order. */
  found: readonly AliasWire[];
  items: readonly AliasWire[];
}

export function usePicking({ found, items }: Listed) {
  const [selection, setSelection] = useState(noSelection);
  const hasAny = selection.ids.size > 0;
  const picked = useMemo(() => (hasAny ? pickedAmong(selection, idsOf(found)) : []), [selection, hasAny, found]);
  const clear = () => setSelection(noSelection);
  const pickPage = () => setSelection((before) => pickAll(before, idsOf(items)));
  const pickFound = () => setSelection(pickExactly(idsOf(found)));

  // The found aliases are in a ref, so that the function is stable and rows don't render again.
  const latest = useRef(found);
  useEffect(() => {
    latest.current = found;
  }, [found]);
  const onPick = useCallback((id: string, isRange: boolean) => {
    setSelection((before) => (isRange ? pickRange(before, id, idsOf(latest.current)) : pickOne(before, id)));
  }, []);

  /** After Shift and an arrow key have moved the focus from one checkbox to the next. */
  const onArrow = (from: Element | null, to: Element | null) => {
    const [left = "", reached = ""] = [from, to].map((element) => boxOf(element)?.dataset.pick);
    if (left === "" || reached === "" || left === reached) return;
    // A new range begins at the focused alias.
    setSelection((before) => {
      const begun = before.anchor === null || !before.ids.has(left) ? pickOne(before, left) : before;
      return pickRange(begun, reached, idsOf(found));
    });
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (takesText(event.target) || event.defaultPrevented) return;
    if (event.key === "Escape" && hasAny) {
      event.preventDefault();
      return clear();
    }
    if (event.key.toLowerCase() !== "a" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
    event.preventDefault();
    const isWholePage = items.every(({ id }) => selection.ids.has(id));
    setSelection(isWholePage ? pickExactly(idsOf(found)) : (before) => pickExactly([...before.ids, ...idsOf(items)]));
  };
  return { picked, ids: selection.ids, clear, pickPage, pickFound, onPick, onArrow, onKeyDown };
}

export type Picking = ReturnType<typeof usePicking>;

interface Selection {
  ids: ReadonlySet<string>;
  /** The alias last selected without Shift. */
  anchor: string | null;
  /** Aliases that were selected before the current range. */
  base: ReadonlySet<string>;
}

const nothing: ReadonlySet<string> = new Set();
export const noSelection: Selection = { ids: nothing, anchor: null, base: nothing };

export function pickOne({ ids }: Selection, id: string): Selection {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return { ids: next, anchor: id, base: next };
}

/** Selects a range; a shorter one deselects the rest. @param order aliases of all pages in the list's order */
export function pickRange(selection: Selection, id: string, order: readonly string[]): Selection {
  const [from, to] = [order.indexOf(selection.anchor ?? ""), order.indexOf(id)];
  if (from === -1 || to === -1) return pickOne({ ...selection, ids: without(selection.ids, id) }, id);
  const range = order.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { ...selection, ids: new Set([...selection.base, ...range]) };
}

/** Selects all wanted aliases; deselects them if all were selected. */
export function pickAll({ ids, anchor }: Selection, wanted: readonly string[]): Selection {
  const rest = new Set(ids);
  for (const id of wanted) rest.delete(id);
  const next = wanted.every((id) => ids.has(id)) ? rest : new Set([...rest, ...wanted]);
  return { ids: next, anchor, base: next };
}

export const pickExactly = (ids: readonly string[]): Selection => {
  const all = new Set(ids);
  return { ids: all, anchor: null, base: all };
};

/** Selected aliases that are not listed are left out. */
export function pickedAmong(selection: Selection, order: readonly string[]): readonly string[] {
  return selection.ids.size === 0 ? none : order.filter((id) => selection.ids.has(id));
}

const none: readonly string[] = [];

function without(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const rest = new Set(ids);
  rest.delete(id);
  return rest;
}

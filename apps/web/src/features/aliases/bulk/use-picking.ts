/**
 * Selecting aliases of the list with checkboxes, by pointer (Shift for a range) and by keyboard: arrows move, Shift
 * with arrows selects a range, Ctrl-A or Cmd-A selects the page and, pressed again, all listed aliases, Escape
 * deselects all.
 */
import type { AliasWire } from "@kauke/contract";
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";

const idsOf = (aliases: readonly AliasWire[]): string[] => aliases.map(({ id }) => id);

const boxOf = (target: EventTarget): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>("[data-pick]") : null;

/** Whether the focused element takes typed text, where Ctrl-A and Escape have another meaning. */
const takesText = (target: EventTarget): boolean =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;

/** The checkbox in the row above or below the given one. */
function neighbourOf(box: HTMLElement, key: string): HTMLElement | undefined {
  const boxes = [...(box.closest("table")?.querySelectorAll<HTMLElement>("[data-pick]") ?? [])];
  return boxes[boxes.indexOf(box) + (key === "ArrowDown" ? 1 : -1)];
}

interface Listed {
  /** All listed aliases of all pages, in the list's order. */
  found: readonly AliasWire[];
  /** Aliases of the list's current page. */
  items: readonly AliasWire[];
}

export function usePicking({ found, items }: Listed) {
  const [selection, setSelection] = useState(noSelection);
  const hasAny = selection.ids.size > 0;
  const picked = useMemo(() => (hasAny ? pickedAmong(selection, idsOf(found)) : []), [selection, hasAny, found]);
  const clear = () => setSelection(noSelection);
  const pickPage = () => setSelection((before) => pickAll(before, idsOf(items)));
  const pickFound = () => setSelection(pickExactly(idsOf(found)));

  // `onPick` stays the same function in every render, so that it never causes a row to be rendered again.
  const latest = useRef(found);
  useEffect(() => {
    latest.current = found;
  }, [found]);
  const onPick = useCallback((id: string, isRange: boolean) => {
    setSelection((before) => (isRange ? pickRange(before, id, idsOf(latest.current)) : pickOne(before, id)));
  }, []);

  const onArrow = (event: KeyboardEvent) => {
    const box = boxOf(event.target);
    const next = box === null ? undefined : neighbourOf(box, event.key);
    if (box === null || next === undefined) return;
    event.preventDefault();
    next.focus();
    const [from = "", to = ""] = [box.dataset.pick, next.dataset.pick];
    if (!event.shiftKey) return;
    // Unless a range is being extended, a new one begins at the focused alias.
    setSelection((before) => {
      const begun = before.anchor === null || !before.ids.has(from) ? pickOne(before, from) : before;
      return pickRange(begun, to, idsOf(found));
    });
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (takesText(event.target) || event.defaultPrevented) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") return onArrow(event);
    if (event.key === "Escape" && hasAny) return clear();
    if (event.key.toLowerCase() !== "a" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
    event.preventDefault();
    const isWholePage = items.every(({ id }) => selection.ids.has(id));
    setSelection(isWholePage ? pickExactly(idsOf(found)) : (before) => pickExactly([...before.ids, ...idsOf(items)]));
  };
  return { picked, ids: selection.ids, clear, pickPage, pickFound, onPick, onKeyDown };
}

export type Picking = ReturnType<typeof usePicking>;

/** Which aliases of the list are selected, as pure functions. */

interface Selection {
  ids: ReadonlySet<string>;
  /** First alias of a range: the one last selected without Shift; `null` if there is none yet. */
  anchor: string | null;
  /** Ids that were selected when the current range was begun. */
  base: ReadonlySet<string>;
}

const nothing: ReadonlySet<string> = new Set();
export const noSelection: Selection = { ids: nothing, anchor: null, base: nothing };

/** Selects or deselects one alias, from which the next range begins. */
export function pickOne({ ids }: Selection, id: string): Selection {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return { ids: next, anchor: id, base: next };
}

/**
 * Selects all aliases from the first of the range to this one, which may be on another page; a range that becomes
 * shorter deselects the rest.
 * @param order ids of the listed aliases of all pages, in the list's order
 */
export function pickRange(selection: Selection, id: string, order: readonly string[]): Selection {
  const [from, to] = [order.indexOf(selection.anchor ?? ""), order.indexOf(id)];
  if (from === -1 || to === -1) return pickOne({ ...selection, ids: without(selection.ids, id) }, id);
  const range = order.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { ...selection, ids: new Set([...selection.base, ...range]) };
}

/** Selects all of the given aliases, or deselects them if all were selected. */
export function pickAll({ ids, anchor }: Selection, wanted: readonly string[]): Selection {
  const rest = new Set(ids);
  for (const id of wanted) rest.delete(id);
  const next = wanted.every((id) => ids.has(id)) ? rest : new Set([...rest, ...wanted]);
  return { ids: next, anchor, base: next };
}

/** Selects the given aliases and no others. */
export const pickExactly = (ids: readonly string[]): Selection => {
  const all = new Set(ids);
  return { ids: all, anchor: null, base: all };
};

/** Selected aliases that are listed, in the list's order; others are not changed by an action on the selection. */
export function pickedAmong(selection: Selection, order: readonly string[]): readonly string[] {
  return selection.ids.size === 0 ? none : order.filter((id) => selection.ids.has(id));
}

const none: readonly string[] = [];

function without(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const rest = new Set(ids);
  rest.delete(id);
  return rest;
}

/**
 * The rows are one stop of the Tab key: only the controls of the current row can be reached by it. Set on the elements
 * themselves, because 100 rows would otherwise render again with each move.
 */
import { type RefObject, useCallback, useLayoutEffect, useRef } from "react";

const rowOf = (element: Element | null): HTMLElement | null => element?.closest<HTMLElement>("tr[data-row]") ?? null;

const controlsOf = (row: Element): HTMLElement[] => [
  ...row.querySelectorAll<HTMLElement>("a[href], button, input, [tabindex]"),
];

const linkOf = (row: Element | null | undefined): HTMLElement | null =>
  row?.querySelector<HTMLElement>(".addr a") ?? null;

function markRow(row: Element, isCurrent: boolean): void {
  for (const control of controlsOf(row)) {
    if (isCurrent) control.tabIndex = 0;
    else if (control.tabIndex !== -1) control.tabIndex = -1;
  }
}

export interface RowFocus {
  body: RefObject<HTMLTableSectionElement | null>;
  /** The alias whose row has, or last had, the focus. */
  currentId: () => string | null;
  onFocus: (target: EventTarget) => void;
  /** Moves the focus by rows: to the same control if the focus is on one. @returns false at the list's end */
  move: (step: number) => boolean;
  /** After the next page is shown, its first or last row gets the focus. */
  turned: (step: number) => void;
}

/** @param ids of the shown aliases, in their order */
export function useRowFocus(ids: readonly string[]): RowFocus {
  const body = useRef<HTMLTableSectionElement>(null);
  const current = useRef<{ id: string; place: number; hasFocus: boolean } | null>(null);
  const isTurning = useRef(0);
  // The focused row was deleted and nothing was pressed since: a closing dialog has nothing to return the focus to.
  const isLost = useRef(false);

  const rows = useCallback(() => [...(body.current?.querySelectorAll<HTMLElement>("tr[data-row]") ?? [])], []);
  const currentRow = useCallback(() => {
    const all = rows();
    return all.find(({ dataset }) => dataset.row === current.current?.id) ?? all[0] ?? null;
  }, [rows]);

  useLayoutEffect(() => {
    if (isTurning.current === 0 || ids.length === 0) return;
    const all = rows();
    linkOf(isTurning.current > 0 ? all[0] : all.at(-1))?.focus();
    isTurning.current = 0;
  }, [ids, rows]);

  useLayoutEffect(() => {
    const before = current.current;
    const isGone = before !== null && !ids.includes(before.id);
    if (isGone) {
      // The row was deleted: the next one takes its place, and its focus.
      const id = ids[Math.min(before.place, ids.length - 1)];
      current.current = id === undefined ? null : { ...before, id, place: ids.indexOf(id) };
      isLost.current = before.hasFocus;
      const hasLostFocus =
        before.hasFocus && (document.activeElement === document.body || document.activeElement?.tagName === "MAIN");
      if (id !== undefined && hasLostFocus) linkOf(currentRow())?.focus({ preventScroll: true });
    } else if (before !== null) current.current = { ...before, place: ids.indexOf(before.id) };
    const own = currentRow();
    for (const row of rows()) markRow(row, row === own);
  });

  useLayoutEffect(() => {
    const onFocusIn = ({ target }: FocusEvent) => {
      if (!(target instanceof Element)) return;
      if (target.tagName === "MAIN") {
        if (isLost.current) linkOf(currentRow())?.focus({ preventScroll: true });
        return;
      }
      const isElsewhere = body.current?.contains(target) !== true && target.closest(".scrim") === null;
      if (isElsewhere && current.current !== null) current.current.hasFocus = false;
    };
    const onPress = () => {
      isLost.current = false;
    };
    const stop = new AbortController();
    const options = { signal: stop.signal, capture: true };
    document.addEventListener("focusin", onFocusIn, options);
    document.addEventListener("keydown", onPress, options);
    document.addEventListener("pointerdown", onPress, options);
    return () => stop.abort();
  }, [currentRow]);

  const onFocus = useCallback(
    (target: EventTarget) => {
      const row = target instanceof Element ? rowOf(target) : null;
      const id = row?.dataset.row;
      if (row === null || id === undefined) return;
      const before = currentRow();
      if (before !== null && before !== row) markRow(before, false);
      markRow(row, true);
      current.current = { id, place: rows().indexOf(row), hasFocus: true };
    },
    [rows, currentRow],
  );

  const move = useCallback(
    (step: number) => {
      const all = rows();
      const own = rowOf(document.activeElement);
      if (own === null || !all.includes(own)) {
        const row = currentRow();
        // With an open panel the row was left only to look at it.
        const at = row !== null && row.classList.contains("open") ? all.indexOf(row) + step : -1;
        const link = linkOf(all[at] ?? row);
        link?.focus();
        return link !== null;
      }
      const next = all[all.indexOf(own) + step];
      if (next === undefined) return false;
      const place = controlsOf(own).indexOf(document.activeElement as HTMLElement);
      const same = controlsOf(next).find(
        (control, at) => at === place && control.className === document.activeElement?.className,
      );
      (same ?? linkOf(next))?.focus();
      return true;
    },
    [rows, currentRow],
  );

  const turned = useCallback((step: number) => {
    isTurning.current = step;
  }, []);
  const currentId = useCallback(() => currentRow()?.dataset.row ?? null, [currentRow]);
  return { body, currentId, onFocus, move, turned };
}

/**
 * The rows are one stop of the Tab key: only the controls of the current row can be reached by it. Set on the elements
 * themselves, because 100 rows would otherwise render again with each move.
 */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useState } from "react";

const rowOf = (element: Element | null): HTMLElement | null => element?.closest<HTMLElement>("tr[data-row]") ?? null;

const controlsOf = (row: Element): HTMLElement[] => [
  ...row.querySelectorAll<HTMLElement>("a[href], button, input, [tabindex]"),
];

const linkOf = (row: Element | null | undefined): HTMLElement | null =>
  row?.querySelector<HTMLElement>(".addr a") ?? null;

/** By the attribute: reading `tabIndex` makes the browser compute styles first. */
function markRow(row: Element, isCurrent: boolean): void {
  const wanted = isCurrent ? "0" : "-1";
  for (const control of controlsOf(row))
    if (control.getAttribute("tabindex") !== wanted) control.setAttribute("tabindex", wanted);
}

class RowFocus {
  #body: HTMLElement | null = null;
  #current: { id: string; place: number; hasFocus: boolean } | null = null;
  #turning = 0;
  /** The focused row was deleted and nothing was pressed since: a closing dialog can't return the focus to it. */
  #isLost = false;

  attach(body: HTMLElement | null): void {
    this.#body = body;
  }

  /** The alias whose row has, or last had, the focus. */
  currentId(): string | null {
    return this.#currentRow()?.dataset.row ?? null;
  }

  /** Moves the focus by rows, to the same control if the focus is on one. @returns false at the list's end */
  move(step: number): boolean {
    const rows = this.#rows();
    const focused = document.activeElement;
    const own = rowOf(focused);
    if (own === null || !rows.includes(own)) return this.#enter(step);
    const next = rows[rows.indexOf(own) + step];
    if (next === undefined) return false;
    const same = controlsOf(next)[controlsOf(own).indexOf(focused as HTMLElement)];
    const target = same?.className === focused?.className ? same : linkOf(next);
    target?.focus();
    return true;
  }

  /** After the next page is shown, its first or last row gets the focus. */
  turned(step: number): void {
    this.#turning = step;
  }

  /** To call whenever other rows are shown. @param ids of their aliases, in their order */
  settle(ids: readonly string[]): void {
    if (this.#turning !== 0 && ids.length > 0 && !ids.includes(this.#current?.id ?? "")) {
      const rows = this.#rows();
      linkOf(this.#turning > 0 ? rows[0] : rows.at(-1))?.focus();
      this.#turning = 0;
    }
    const before = this.#current;
    if (before !== null && !ids.includes(before.id)) this.#replace(before, ids);
    else if (before !== null) this.#current = { ...before, place: ids.indexOf(before.id) };
    const own = this.#currentRow();
    for (const row of this.#rows()) markRow(row, row === own);
  }

  /** @returns function that stops it */
  listen(): () => void {
    const stop = new AbortController();
    const options = { signal: stop.signal, capture: true };
    const onPress = () => {
      this.#isLost = false;
    };
    document.addEventListener("focusin", ({ target }) => target instanceof Element && this.#onFocus(target), options);
    document.addEventListener("keydown", onPress, options);
    document.addEventListener("pointerdown", onPress, options);
    return () => stop.abort();
  }

  #rows(): HTMLElement[] {
    return [...(this.#body?.querySelectorAll<HTMLElement>("tr[data-row]") ?? [])];
  }

  #currentRow(): HTMLElement | null {
    const rows = this.#rows();
    return rows.find(({ dataset }) => dataset.row === this.#current?.id) ?? rows[0] ?? null;
  }

  /** From outside the list: to the row that was left, or from an open panel to its neighbour. */
  #enter(step: number): boolean {
    const rows = this.#rows();
    const row = this.#currentRow();
    const neighbour = row?.classList.contains("open") === true ? rows[rows.indexOf(row) + step] : undefined;
    const link = linkOf(neighbour ?? row);
    link?.focus();
    return link !== null;
  }

  /** The row was deleted: the next one takes its place, and its focus. */
  #replace(before: { place: number; hasFocus: boolean }, ids: readonly string[]): void {
    const id = ids[Math.min(before.place, ids.length - 1)];
    this.#current = id === undefined ? null : { id, place: ids.indexOf(id), hasFocus: before.hasFocus };
    this.#isLost = before.hasFocus;
    const isNowhere = document.activeElement === document.body || document.activeElement?.tagName === "MAIN";
    if (id !== undefined && before.hasFocus && isNowhere) linkOf(this.#currentRow())?.focus({ preventScroll: true });
  }

  #onFocus(target: Element): void {
    if (target.tagName === "MAIN") {
      if (this.#isLost) linkOf(this.#currentRow())?.focus({ preventScroll: true });
      return;
    }
    const row = this.#body?.contains(target) === true ? rowOf(target) : null;
    const id = row?.dataset.row;
    if (row !== null && id !== undefined) {
      const before = this.#currentRow();
      if (before !== null && before !== row) markRow(before, false);
      markRow(row, true);
      this.#current = { id, place: this.#rows().indexOf(row), hasFocus: true };
    } else if (this.#current !== null && target.closest(".scrim") === null) this.#current.hasFocus = false;
  }
}

/** @param ids of the shown aliases, in their order @returns it, and the `ref` of the table's body */
export function useRowFocus(ids: readonly string[]): [focus: RowFocus, body: (body: HTMLElement | null) => void] {
  const [focus] = useState(() => new RowFocus());
  useLayoutEffect(() => focus.settle(ids));
  useEffect(() => focus.listen(), [focus]);
  const attach = useCallback((body: HTMLElement | null) => focus.attach(body), [focus]);
  return [focus, attach];
}

/** The list's title gets the focus that goes with a part: the bulk bar's after its last alias, or that of all rows. */
export function useFocusBack(title: RefObject<HTMLElement | null>): void {
  useEffect(
    () => () => {
      if (document.activeElement === document.body) title.current?.focus({ preventScroll: true });
    },
    [title],
  );
}

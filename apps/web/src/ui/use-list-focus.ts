/** When the row with the focus is removed from a list, the next row's last button gets it, or what stands for the list. */
import { type FocusEvent, useEffect, useRef } from "react";

interface Left {
  row: number;
  /** Number of rows when the focus was last in one. */
  rows: number;
}

/** To be called by the component that shows the rows. @param other the element that gets the focus after the last row */
export function useListFocus(other: () => HTMLElement | null | undefined) {
  const list = useRef<HTMLUListElement>(null);
  const left = useRef<Left>(null);
  useEffect(() => {
    const before = left.current;
    const rows = [...(list.current?.children ?? [])];
    if (before === null || rows.length >= before.rows || document.activeElement !== document.body) return;
    left.current = null;
    const next = rows[Math.min(before.row, rows.length - 1)];
    ([...(next?.querySelectorAll<HTMLElement>("button") ?? [])].at(-1) ?? other())?.focus();
  });
  return {
    ref: list,
    onFocus: ({ target, currentTarget }: FocusEvent<HTMLUListElement>) => {
      const rows = [...currentTarget.children];
      left.current = { row: rows.findIndex((row) => row.contains(target)), rows: rows.length };
    },
    onBlur: ({ relatedTarget, currentTarget }: FocusEvent<HTMLUListElement>) => {
      if (relatedTarget !== null && !currentTarget.contains(relatedTarget)) left.current = null;
    },
  };
}

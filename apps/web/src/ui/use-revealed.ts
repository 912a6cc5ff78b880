/** The button that shows the rest of a list is gone afterwards: the first row that it revealed gets the focus. */
import { type RefObject, useEffect } from "react";

/** @param from index of the first revealed row */
export function useRevealed(list: RefObject<HTMLUListElement | null>, isWhole: boolean, from: number): void {
  useEffect(() => {
    if (!isWhole) return;
    const row = list.current?.children[from] as HTMLElement | undefined;
    const button = row?.querySelector("button");
    if (!button) row?.setAttribute("tabindex", "-1");
    (button ?? row)?.focus();
  }, [list, isWhole, from]);
}

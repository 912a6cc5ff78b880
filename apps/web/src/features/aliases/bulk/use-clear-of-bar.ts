import { type RefObject, useEffect } from "react";

const GAP_PX = 8;
/** Of toasts and undo rows from the window's bottom. */
const MARGIN_PX = 24;

/** Not set on the root: the styles of all elements would be computed again. */
const coverable = () => document.querySelectorAll<HTMLElement>(".toasts, .undos");

const heightOf = (selector: string): number => document.querySelector<HTMLElement>(selector)?.offsetHeight ?? 0;

/**
 * Keeps toasts and undo rows clear of the selection bar, which is higher up where the list ends above the window's edge:
 * below it if they fit there, otherwise above it. Sets their `--over-bar`.
 */
export function useClearOfBar(bar: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const measure = () => {
      const place = bar.current?.getBoundingClientRect();
      if (place === undefined) return;
      const needed = heightOf(".undos") + heightOf(".toasts") + MARGIN_PX + GAP_PX;
      const fits = window.innerHeight - place.bottom >= needed;
      const bottom = `${fits ? MARGIN_PX : window.innerHeight - place.top + GAP_PX}px`;
      for (const { style } of coverable()) style.setProperty("--over-bar", bottom);
    };
    const observer = new ResizeObserver(measure);
    for (const element of [document.body, document.querySelector(".undos")])
      if (element !== null) observer.observe(element);
    const stop = new AbortController();
    const passive = { passive: true, signal: stop.signal };
    for (const event of ["scroll", "resize"]) window.addEventListener(event, measure, passive);
    bar.current?.addEventListener("animationend", measure, passive);
    return () => {
      observer.disconnect();
      stop.abort();
      for (const { style } of coverable()) style.removeProperty("--over-bar");
    };
  }, [bar]);
}

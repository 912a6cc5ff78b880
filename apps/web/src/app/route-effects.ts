/** What every change of route brings: the tab's title, the top of the page, and focus on its content for keyboards. */
import { product } from "@kauke/contract";
import { useEffect, useRef } from "react";

export function useRouteEffects(path: string, title: string): void {
  const lastPath = useRef(path);
  useEffect(() => {
    document.title = title === "" ? `${product.name} — private e-mail aliases` : `${title} — ${product.name}`;
  }, [title]);
  useEffect(() => {
    if (lastPath.current === path) return;
    lastPath.current = path;
    window.scrollTo({ top: 0, behavior: "instant" });
    document.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
  }, [path]);
}

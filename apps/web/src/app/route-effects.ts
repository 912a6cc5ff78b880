/** What every change of route brings: the tab's title, the top of the page, focus on its content for keyboards, and a page view. */
import { product } from "@kauke/contract";
import { useEffect, useRef } from "react";
import { countEvent } from "../api/count-event.ts";

export function useRouteEffects(path: string, title: string): void {
  const lastPath = useRef(path);
  const countedPath = useRef<string>(null);
  useEffect(() => {
    document.title = title === "" ? `${product.name} — private e-mail aliases` : `${title} — ${product.name}`;
  }, [title]);
  useEffect(() => {
    // React's strict mode runs an effect twice.
    if (countedPath.current === path) return;
    countedPath.current = path;
    countEvent("page_view");
  }, [path]);
  useEffect(() => {
    if (lastPath.current === path) return;
    lastPath.current = path;
    window.scrollTo({ top: 0, behavior: "instant" });
    document.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
  }, [path]);
}

/** What every change of route brings: the tab's title, the top of the page, focus on its content for keyboards, and a page view. */
import { useEffect, useRef } from "react";
import { countEvent } from "../api/count-event.ts";
import { pageTitle } from "./page-heads.ts";
import type { ScreenName } from "./screens.ts";

export function useRouteEffects(path: string, screen: ScreenName | null): void {
  const lastPath = useRef(path);
  const countedPath = useRef<string>(null);
  useEffect(() => {
    document.title = pageTitle(screen);
  }, [screen]);
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

/** What every change of route brings: the tab's title, the top of the page, and focus on its content for keyboards. */
import { useEffect, useRef } from "react";
import { pageTitle } from "./page-heads.ts";
import type { ScreenName } from "./screens.ts";

export function useRouteEffects(path: string, screen: ScreenName | null): void {
  const lastPath = useRef(path);
  useEffect(() => {
    document.title = pageTitle(screen);
  }, [screen]);
  useEffect(() => {
    if (lastPath.current === path) return;
    lastPath.current = path;
    window.scrollTo({ top: 0, behavior: "instant" });
    document.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
  }, [path]);
}

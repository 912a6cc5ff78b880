/**
 * Effects of every route change: sets the tab's title, scrolls to the top, focuses the content for keyboard users, and
 * counts a page view.
 */
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
    // React's strict mode runs effects twice; count the view once.
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

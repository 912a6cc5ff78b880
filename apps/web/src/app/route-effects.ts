/**
 * Effects of every change of page: sets the tab's title, scrolls to the top, focuses the content for keyboard users, and
 * counts a page view. A page also changes at the same path: to the sign-in form and back.
 */
import { useEffect, useRef } from "react";
import { countEvent } from "../api/count-event.ts";
import { pageTitle } from "./page-heads.ts";
import type { ScreenName } from "./screens.ts";

export function useRouteEffects(path: string, screen: ScreenName | null): void {
  const last = useRef<string>(null);
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
    if (screen === null) return;
    const before = last.current;
    last.current = path + screen;
    if (before === null || before === last.current) return;
    window.scrollTo({ top: 0, behavior: "instant" });
    document.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
  }, [path, screen]);
}

import { useEffect, useSyncExternalStore } from "react";
import { useLocation } from "wouter";
import { partOfAnchor, type SettingsPart } from "./settings-index.ts";

/** wouter sends an event for each change of the history. */
const events = ["pushState", "replaceState", "popstate", "hashchange"] as const;

function subscribe(listener: () => void): () => void {
  for (const event of events) window.addEventListener(event, listener);
  return () => {
    for (const event of events) window.removeEventListener(event, listener);
  };
}

const readAnchor = () => location.hash.slice(1);

/** Cards are shown one after the other as their data arrives. @returns stops waiting, as the user's next act does */
function whenThere(id: string, act: (element: HTMLElement) => void): () => void {
  const stop = new AbortController();
  const look = () => {
    const element = document.getElementById(id);
    if (element === null || stop.signal.aborted) return;
    stop.abort();
    act(element);
  };
  const changes = new MutationObserver(look);
  stop.signal.addEventListener("abort", () => changes.disconnect());
  changes.observe(document.body, { childList: true, subtree: true });
  // After the event that led here, and after the frame of the page has scrolled to the top and focused the content.
  setTimeout(() => {
    for (const event of ["pointerdown", "keydown", "wheel"] as const)
      window.addEventListener(event, () => stop.abort(), { signal: stop.signal, passive: true });
    look();
  });
  return () => stop.abort();
}

/** Shows and focuses the card that the address names, in whichever group it is. */
export function useNamedRow(path: SettingsPart["path"]): void {
  const [, navigate] = useLocation();
  const anchor = useSyncExternalStore(subscribe, readAnchor);
  useEffect(() => {
    const part = anchor === "" ? undefined : partOfAnchor(anchor);
    if (part === undefined) return;
    if (part.path !== path) return navigate(`${part.path}#${anchor}`, { replace: true });
    return whenThere(anchor, (heading) => {
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
      heading.scrollIntoView({ block: "start" });
    });
  }, [anchor, path, navigate]);
}

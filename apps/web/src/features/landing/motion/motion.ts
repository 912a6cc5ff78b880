/** One switch for the page's motion (WCAG 2.2.2), off for users who prefer reduced motion. */
import { useState, useSyncExternalStore } from "react";

const query = "(prefers-reduced-motion: reduce)";

function subscribe(onChange: () => void): () => void {
  const list = matchMedia(query);
  list.addEventListener("change", onChange);
  return () => list.removeEventListener("change", onChange);
}

export interface Motion {
  isPaused: boolean;
  toggle: () => void;
}

export function useMotion(): Motion {
  const wantsLess = useSyncExternalStore(
    subscribe,
    () => matchMedia(query).matches,
    () => false,
  );
  const [chosen, setChosen] = useState<boolean | null>(null);
  const isPaused = chosen ?? wantsLess;
  return { isPaused, toggle: () => setChosen(!isPaused) };
}

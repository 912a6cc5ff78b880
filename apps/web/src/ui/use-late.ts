/** A component that no page waits for: fetched when it is wanted, and again until it is there. */
import { type ComponentType, useEffect, useState } from "react";

const againMs = 5000;

/** @param load one function, the same at each call @returns `null` until it is there */
export function useLate<Props>(
  wanted: boolean,
  load: () => Promise<ComponentType<Props>>,
): { component: ComponentType<Props> } | null {
  const [found, setFound] = useState<{ component: ComponentType<Props> } | null>(null);
  useEffect(() => {
    if (!wanted) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const fetchIt = () =>
      void load().then(
        (component) => isOver || setFound({ component }),
        () => {
          if (!isOver) timer = setTimeout(fetchIt, againMs);
        },
      );
    fetchIt();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [wanted, load]);
  return found;
}

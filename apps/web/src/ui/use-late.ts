/** Loads a component late; retries every 5 s. */
import { type ComponentType, useEffect, useState } from "react";

const RETRY_MS = 5000;

/** `load` and `onFailure` must be stable functions. @param onFailure called with true after each failure */
export function useLate<Props>(
  wanted: boolean,
  load: () => Promise<ComponentType<Props>>,
  onFailure?: (hasFailed: boolean) => void,
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
          if (isOver) return;
          onFailure?.(true);
          timer = setTimeout(fetchIt, RETRY_MS);
        },
      );
    fetchIt();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [wanted, load, onFailure]);
  return found;
}

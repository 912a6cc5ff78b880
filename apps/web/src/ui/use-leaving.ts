/** Closes a popup on Escape, and on a press or focus outside. */
import { useEffect, useEffectEvent } from "react";

/** @param within selector of popup and button @param onLeave `byKey`: the focus returns to the button */
export function useLeaving(open: boolean, within: string, onLeave: (byKey: boolean) => void): void {
  const leave = useEffectEvent(onLeave);
  useEffect(() => {
    if (!open) return;
    const stop = new AbortController();
    const outside = (event: Event) => {
      if (event.target instanceof Element && event.target.closest(within) === null) leave(false);
    };
    const onKey = (event: KeyboardEvent) => event.key === "Escape" && leave(true);
    document.addEventListener("pointerdown", outside, { signal: stop.signal });
    document.addEventListener("focusin", outside, { signal: stop.signal });
    document.addEventListener("keydown", onKey, { signal: stop.signal });
    return () => stop.abort();
  }, [open, within]);
}

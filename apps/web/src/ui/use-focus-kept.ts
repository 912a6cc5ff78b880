/** Acts that take away the control that began them: the title of their part of the page gets the focus that went with it. */
import { useEffect } from "react";

const controls = "a[href], button, input, select, textarea, [tabindex]";

/** @param titleId id of the heading, which a script can focus; its section is watched */
export function useFocusKept(titleId: string): void {
  useEffect(() => {
    const title = document.getElementById(titleId);
    const part = title?.closest("section") ?? null;
    if (title === null || part === null) return;
    let hadFocus = false;
    const stop = new AbortController();
    const options = { signal: stop.signal, capture: true };
    document.addEventListener(
      "focusin",
      ({ target }) => {
        hadFocus = part.contains(target as Node);
      },
      options,
    );
    // A press beside the controls leaves the focus nowhere on purpose.
    document.addEventListener(
      "pointerdown",
      ({ target }) => {
        const control = target instanceof Element ? target.closest(controls) : null;
        hadFocus = control !== null && part.contains(control);
      },
      options,
    );
    const observer = new MutationObserver(() => {
      // Whatever knows a better place has taken the focus by then.
      requestAnimationFrame(() => {
        if (!hadFocus || document.activeElement !== document.body || !title.isConnected) return;
        title.focus({ preventScroll: true });
      });
    });
    observer.observe(part, { childList: true, subtree: true });
    return () => {
      stop.abort();
      observer.disconnect();
    };
  }, [titleId]);
}

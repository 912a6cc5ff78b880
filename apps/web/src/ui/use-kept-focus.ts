/** When the focused button of a part of the page is gone, another one in it gets the focus, or what stands for the part. */
import { type FocusEvent, useEffect, useRef } from "react";

interface Kept {
  /** What gets the focus in the part. */
  first?: string;
  /** What gets it if the part has no such element. */
  other?: () => HTMLElement | null | undefined;
}

/** To be called by the component whose rendering removes the button. */
export function useKeptFocus<Part extends HTMLElement>({ first = "button:enabled", other }: Kept = {}) {
  const part = useRef<Part>(null);
  const hadFocus = useRef(false);
  useEffect(() => {
    if (!hadFocus.current || document.activeElement !== document.body) return;
    hadFocus.current = false;
    (part.current?.querySelector<HTMLElement>(first) ?? other?.())?.focus();
  });
  return {
    ref: part,
    onFocus: () => {
      hadFocus.current = true;
    },
    onBlur: ({ relatedTarget, currentTarget }: FocusEvent<Part>) => {
      if (relatedTarget !== null && !currentTarget.contains(relatedTarget)) hadFocus.current = false;
    },
  };
}

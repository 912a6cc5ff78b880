/**
 * For a dialog that deletes the row it was opened from: the next row's last button gets the focus, then the row's before,
 * then the list's heading.
 */
import { useRef, useState } from "react";

export function useRowReturn() {
  const isGone = useRef(false);
  const [places] = useState(() => {
    const row = document.activeElement?.closest("li");
    return {
      rows: [row?.nextElementSibling, row?.previousElementSibling],
      heading: row?.closest("section")?.querySelector<HTMLElement>("h2, h3"),
    };
  });
  return {
    /** To be called before the dialog closes. */
    noteGone: () => {
      isGone.current = true;
    },
    /** `null`: the button that opened the dialog. */
    returnTo: (): HTMLElement | null => {
      if (!isGone.current) return null;
      for (const row of places.rows) {
        const button = row?.isConnected ? [...row.querySelectorAll<HTMLElement>("button")].at(-1) : undefined;
        if (button !== undefined) return button;
      }
      places.heading?.setAttribute("tabindex", "-1");
      return places.heading ?? null;
    },
  };
}

/** Whether the command palette is open. Part of every page's first code, so it knows nothing of the palette itself. */
import { useSyncExternalStore } from "react";

let isOpen = false;
const listeners = new Set<() => void>();

function set(open: boolean): void {
  isOpen = open;
  for (const listener of listeners) listener();
}

/** Opens the palette, unless a dialog waits for an answer; an alias' panel is none. */
export function openPalette(): void {
  if (document.querySelector(".scrim:not(.scrim-sheet)") === null) set(true);
}

export const closePalette = (): void => set(false);

export const togglePalette = (): void => (isOpen ? closePalette() : openPalette());

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const usePaletteOpen = (): boolean =>
  useSyncExternalStore(
    subscribe,
    () => isOpen,
    () => false,
  );

export const isMac = (): boolean => /mac/i.test(navigator.platform);

/** The key that is held for shortcuts, as it is written on the keyboard. */
export const modifierName = (): string => (isMac() ? "⌘" : "Ctrl");

/** Loaded with every page, so it doesn't import the palette. */
import { makeStore, useStore } from "../../ui/store.ts";

const open = makeStore(false);

/** Not over a dialog, except an alias' panel. */
export function openPalette(): void {
  if (document.querySelector(".scrim:not(.scrim-sheet)") === null) open.set(true);
}

export const closePalette = (): void => open.set(false);

export const isPaletteOpen = open.read;

export const usePaletteOpen = (): boolean => useStore(open);

export const isMac = (): boolean => /mac/i.test(navigator.platform);

/** As printed on the keyboard. */
export const modifierName = (): string => (isMac() ? "⌘" : "Ctrl");

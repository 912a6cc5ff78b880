/** Whether the command palette is open. Loaded with every page, so it does not import the palette's code. */
import { makeStore, useStore } from "../../ui/store.ts";

const open = makeStore(false);

/** Opens the command palette, unless a dialog is open; an alias' panel does not count as a dialog. */
export function openPalette(): void {
  if (document.querySelector(".scrim:not(.scrim-sheet)") === null) open.set(true);
}

export const closePalette = (): void => open.set(false);

export const isPaletteOpen = open.read;

export const usePaletteOpen = (): boolean => useStore(open);

export const isMac = (): boolean => /mac/i.test(navigator.platform);

/** Name of the modifier key of keyboard shortcuts, as printed on the keyboard. */
export const modifierName = (): string => (isMac() ? "⌘" : "Ctrl");

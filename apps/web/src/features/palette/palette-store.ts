/** State of the command palette, loaded with every page, so it doesn't import the palette. */
import { makeStore, useStore } from "../../ui/store.ts";

const open = makeStore(false);

/** Opens the palette, but not over a dialog other than an alias' panel. */
export function openPalette(): void {
  if (document.querySelector(".scrim:not(.scrim-sheet)") === null) open.set(true);
}

export const closePalette = (): void => open.set(false);

export const isPaletteOpen = open.read;

export const usePaletteOpen = (): boolean => useStore(open);

export const isMac = (): boolean => /mac/i.test(navigator.platform);

/** Ctrl-K, or Cmd-K on a Mac, where Ctrl-K deletes to the end of a line. */
export const isPaletteKey = ({ key, ctrlKey, metaKey, altKey, shiftKey, isComposing }: KeyboardEvent): boolean =>
  key.toLowerCase() === "k" && !altKey && !shiftKey && !isComposing && (isMac() ? metaKey : ctrlKey);

/** The modifier key's name as printed on the keyboard. */
export const modifierName = (): string => (isMac() ? "⌘" : "Ctrl");

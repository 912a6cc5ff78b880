/** Whether the command palette is open. Loaded with every page, so it does not import the palette's code. */

let isOpen = false;
const listeners = new Set<() => void>();

function set(open: boolean): void {
  isOpen = open;
  for (const listener of listeners) listener();
}

/** Opens the command palette, unless a dialog is open; an alias' panel does not count as a dialog. */
export function openPalette(): void {
  if (document.querySelector(".scrim:not(.scrim-sheet)") === null) set(true);
}

export const closePalette = (): void => set(false);

export function subscribeToPalette(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const isPaletteOpen = (): boolean => isOpen;

export const isMac = (): boolean => /mac/i.test(navigator.platform);

/** Name of the modifier key of keyboard shortcuts, as printed on the keyboard. */
export const modifierName = (): string => (isMac() ? "⌘" : "Ctrl");

import { closePalette, isPaletteKey, isPaletteOpen, openPalette } from "./palette-store.ts";

/** Text typed before the palette's code had loaded, and the element that had the focus. */
let text = "";
let opener: Element | null = null;

/** @param typed before there was a field */
export function beginEarly(focused: Element | null, typed = ""): void {
  text = typed;
  opener = focused;
}

const isInField = ({ target }: KeyboardEvent): boolean =>
  target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;

/** Handles a key before anything of the palette is there: Ctrl-K is kept, and what is typed after it is no page's key. */
export function catchEarlyKey(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, repeat } = event;
  if (isPaletteKey(event)) {
    if (!repeat) openPalette();
  } else if (!isPaletteOpen() || isInField(event) || ctrlKey || metaKey) return;
  else if (key === "Escape") {
    beginEarly(null);
    closePalette();
  } else if (key === "Backspace") text = text.slice(0, -1);
  else if (key.length === 1) text += key;
  else return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

export function typeEarly(typed: string): void {
  text = typed;
}

export const readEarlyText = (): string => text;

/** @returns the element that had the focus; `null` if it is gone, or the code was loaded already */
export function endEarly(): HTMLElement | null {
  const found = opener instanceof HTMLElement && opener.isConnected ? opener : null;
  beginEarly(null);
  return found;
}

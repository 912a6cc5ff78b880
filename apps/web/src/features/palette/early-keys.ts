/** What was typed after the palette was opened and before its code had loaded, and what had the focus before. */

let text = "";
let opener: Element | null = null;

/** @param focused the element that had the focus when the palette was opened */
export function beginEarly(focused: Element | null): void {
  text = "";
  opener = focused;
}

export function typeEarly(typed: string): void {
  text = typed;
}

export const readEarlyText = (): string => text;

/** Forgets both. @returns the element that had the focus; `null` if it is gone, or if the code had been loaded already */
export function endEarly(): HTMLElement | null {
  const found = opener instanceof HTMLElement && opener.isConnected ? opener : null;
  beginEarly(null);
  return found;
}

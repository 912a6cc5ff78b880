/** Text typed before the palette's code had loaded, and the element that had the focus. */
let text = "";
let opener: Element | null = null;

export function beginEarly(focused: Element | null): void {
  text = "";
  opener = focused;
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

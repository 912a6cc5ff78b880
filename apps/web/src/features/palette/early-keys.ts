/** Typed before the palette's code had loaded, and what had the focus. */
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

/** @returns `null` if the element is gone, or the code was loaded already */
export function endEarly(): HTMLElement | null {
  const found = opener instanceof HTMLElement && opener.isConnected ? opener : null;
  beginEarly(null);
  return found;
}

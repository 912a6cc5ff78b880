/** Selects a text that the page shows. */

/**
 * Selects the place nearest to the focused element that shows this text, e.g. the address in the row whose Copy button
 * was pressed.
 * @returns whether the page shows the text
 */
export function selectShown(text: string): boolean {
  const wanted = text.trim();
  if (wanted === "") return false;
  for (let around: Element | null = document.activeElement; around !== null; around = around.parentElement) {
    const range = findShown(around, wanted);
    if (range === null) continue;
    const selection = window.getSelection();
    selection?.removeAllRanges();
    selection?.addRange(range);
    return true;
  }
  return false;
}

/** The first visible element whose whole text is this one, or text that contains it. */
function findShown(around: Element, wanted: string): Range | null {
  const nodes = document.createTreeWalker(around, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node: Node | null = around; node !== null; node = nodes.nextNode()) {
    const range = node instanceof Text ? partOf(node, wanted) : wholeOf(node, wanted);
    const element = node instanceof Element ? node : node.parentElement;
    if (range !== null && isShown(element)) return range;
  }
  return null;
}

function wholeOf(node: Node, wanted: string): Range | null {
  if (node.textContent?.trim() !== wanted) return null;
  const range = document.createRange();
  range.selectNodeContents(node);
  return range;
}

function partOf(node: Text, wanted: string): Range | null {
  const begin = node.data.indexOf(wanted);
  if (begin === -1) return null;
  const range = document.createRange();
  range.setStart(node, begin);
  range.setEnd(node, begin + wanted.length);
  return range;
}

/** Whether an element takes up room, and is neither for screen readers only nor a toast. */
function isShown(element: Element | null): boolean {
  return element !== null && element.getClientRects().length > 0 && element.closest(".sr, .toasts, option") === null;
}

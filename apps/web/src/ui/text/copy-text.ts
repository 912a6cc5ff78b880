/**
 * Copies to the clipboard and shows a toast (specification section 8, "Copy"). Where copying fails, the text is selected
 * on the page, so that the person can copy it.
 */
import { showToast } from "../toast-store.ts";

/** @param named name of the copied text for the toast; by default the text itself */
export async function copyText(text: string, named = text): Promise<void> {
  await toastCopied(writeText(text), text, named);
}

/**
 * Puts a text into the clipboard, by the older command where the page has no clipboard of its own (plain http on another
 * host than localhost). Rejects if neither can.
 */
export async function writeText(text: string): Promise<void> {
  const { clipboard } = navigator;
  if (clipboard !== undefined) return clipboard.writeText(text);
  if (!copyByCommand(text)) throw new Error("no clipboard");
}

/**
 * Copies from a field that nobody sees, and gives the focus back. The field is beside the focused element: a dialog makes
 * everything outside it inert.
 */
function copyByCommand(text: string): boolean {
  const before = document.activeElement;
  const field = document.createElement("textarea");
  field.className = "sr";
  field.value = text;
  (before?.closest("[role=dialog]") ?? document.body).append(field);
  field.focus({ preventScroll: true });
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  return isCopied;
}

/**
 * Copies a secret without showing it in the toast.
 * @param secret may still be loading: the clipboard is requested at once, while the click permits it. If the promise
 * rejects, the caller has to show the error.
 * @param named name of the secret for the toast
 * @param reveal shows a hidden secret, called if it can't be copied
 * @returns whether the secret is now in the clipboard
 */
export async function copySecret(
  secret: Promise<string>,
  named: string,
  reveal?: (secret: string) => Promise<void>,
): Promise<boolean> {
  const written = writeLater(secret);
  const text = await secret.catch(() => null);
  if (text === null) {
    await written.catch(() => {});
    return false;
  }
  await written.catch(() => reveal?.(text));
  return toastCopied(written, text, named);
}

/**
 * Copies a text that is still loading, without a toast. Must be called while handling a click or key press, since
 * browsers allow copying only then.
 * @param text promise of the text; if it rejects, nothing is copied
 * @returns whether the text was copied
 */
export async function copyQuietly(text: Promise<string>): Promise<boolean> {
  return writeLater(text).then(
    () => true,
    () => false,
  );
}

async function writeLater(text: Promise<string>): Promise<void> {
  const { clipboard } = navigator;
  // Older Firefox versions have no `ClipboardItem`, but allow writing text for some seconds after the click.
  if (typeof ClipboardItem === "undefined" || clipboard?.write === undefined) return writeText(await text);
  const blob = text.then((plain) => new Blob([plain], { type: "text/plain" }));
  // If copying is not permitted, `write` rejects without waiting for the text, whose own rejection would go unhandled
  blob.catch(() => {});
  await clipboard.write([new ClipboardItem({ "text/plain": blob })]);
}

/** Shows a toast about a copy. @param text what is copied @param named its name for the toast */
async function toastCopied(written: Promise<void>, text: string, named: string): Promise<boolean> {
  try {
    await written;
    showToast({ title: "Copied to clipboard", description: named });
    return true;
  } catch {
    sayNotCopied(text, "Unable to copy to clipboard");
    return false;
  }
}

/** Says that copying failed, and selects the text if the page shows it. @param reason text of the toast */
export function sayNotCopied(text: string, reason: string): void {
  const note = selectShown(text) ? "The text is selected. Copy it with Ctrl+C (\u2318C) or its menu." : undefined;
  showToast({ title: "Copy failed", description: reason, note, variant: "bad" });
}

/** Selects a text that the page shows. */

/**
 * Selects the place nearest to the focused element that shows this text, e.g. the address in the row whose Copy button
 * was pressed.
 * @returns whether the page shows the text
 */
function selectShown(text: string): boolean {
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

/** Where copying fails, the text is selected on the page (specification section 8, "Copy"). */

import { t } from "../../texts/texts.ts";
import { showToast } from "../toast-store.ts";

/** @param named for the toast, by default the text */
export async function copyText(text: string, named = text): Promise<void> {
  await toastCopied(writeText(text), text, named);
}

/** Plain http on another host than localhost has no clipboard, so the older command stands in. */
export async function writeText(text: string): Promise<void> {
  const { clipboard } = navigator;
  if (clipboard !== undefined) return clipboard.writeText(text);
  if (!copyByCommand(text)) throw new Error("no clipboard");
}

/** Copies from an unseen field beside the focused element: dialogs make everything outside inert. */
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
 * Copies a secret, without showing it in a toast.
 * @param secret may still load: the clipboard is requested while the click permits it; the caller shows a rejection
 * @param reveal shows the secret if it can't be copied
 * @returns whether it was copied
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

/** Copies without a toast, while handling a click or key press. @param text if it rejects, nothing is copied */
export async function copyQuietly(text: Promise<string>): Promise<boolean> {
  return writeLater(text).then(
    () => true,
    () => false,
  );
}

async function writeLater(text: Promise<string>): Promise<void> {
  const { clipboard } = navigator;
  // Older Firefox has no `ClipboardItem`, but allows writing for some seconds after the click.
  if (typeof ClipboardItem === "undefined" || clipboard?.write === undefined) return writeText(await text);
  const blob = text.then((plain) => new Blob([plain], { type: "text/plain" }));
  // `write` may reject before the text, whose rejection would go unhandled.
  blob.catch(() => {});
  await clipboard.write([new ClipboardItem({ "text/plain": blob })]);
}

async function toastCopied(written: Promise<void>, text: string, named: string): Promise<boolean> {
  try {
    await written;
    showToast({ title: t("Copied to clipboard"), description: named });
    return true;
  } catch {
    sayNotCopied(text, t("Unable to copy to clipboard"));
    return false;
  }
}

/** @param reason text of the toast */
export function sayNotCopied(text: string, reason: string): void {
  const note = selectShown(text) ? t("The text is selected. Copy it with Ctrl+C (⌘C) or its menu.") : undefined;
  showToast({ title: t("Copy failed"), description: reason, note, variant: "bad" });
}

/** Selects the nearest place with this text, e.g. in the row of the pressed button. @returns whether there is one */
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

/** Finds an element by its whole text, then by text that contains it. */
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

/** Whether an element takes up room and is neither a toast nor for screen readers only. */
function isShown(element: Element | null): boolean {
  return element !== null && element.getClientRects().length > 0 && element.closest(".sr, .toasts, option") === null;
}

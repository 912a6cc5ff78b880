/** Copies to the clipboard and shows a toast (specification section 8, "Copy"). */
import { showFailure, showToast } from "../toast-store.ts";

/** @param named name of the copied text for the toast; by default the text itself */
export async function copyText(text: string, named = text): Promise<void> {
  await toastCopied(writeText(text), named);
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

/** Copies from a field that nobody sees, and gives the focus back. */
function copyByCommand(text: string): boolean {
  const before = document.activeElement;
  const field = document.createElement("textarea");
  field.className = "sr";
  field.value = text;
  document.body.append(field);
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
 * @returns whether the secret is now in the clipboard
 */
export async function copySecret(secret: Promise<string>, named: string): Promise<boolean> {
  const written = writeLater(secret);
  const isThere = await secret.then(
    () => true,
    () => false,
  );
  if (isThere) return toastCopied(written, named);
  await written.catch(() => {});
  return false;
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

/** Shows a toast about a copy. */
async function toastCopied(written: Promise<void>, description: string): Promise<boolean> {
  try {
    await written;
    showToast({ title: "Copied to clipboard", description });
    return true;
  } catch {
    showFailure("Copy failed", "Unable to copy to clipboard");
    return false;
  }
}

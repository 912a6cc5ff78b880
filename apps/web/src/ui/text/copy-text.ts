/** Copies to the clipboard and shows a toast (specification section 8, "Copy"). */
import { showFailure, showToast } from "../toast-store.ts";

/** @param named name of the copied text for the toast; by default the text itself */
export async function copyText(text: string, named = text): Promise<void> {
  await toastCopied(navigator.clipboard?.writeText(text), named);
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
  if (clipboard === undefined) throw new Error("no clipboard");
  // Older Firefox versions have no `ClipboardItem`, but allow writing text for some seconds after the click.
  if (typeof ClipboardItem === "undefined" || clipboard.write === undefined) return clipboard.writeText(await text);
  const blob = text.then((plain) => new Blob([plain], { type: "text/plain" }));
  // If copying is not permitted, `write` rejects without waiting for the text, whose own rejection would go unhandled
  blob.catch(() => {});
  await clipboard.write([new ClipboardItem({ "text/plain": blob })]);
}

/**
 * Shows a toast about a copy.
 * @param written the write to the clipboard; `undefined` where the page has no clipboard (plain http on another host)
 */
async function toastCopied(written: Promise<void> | undefined, description: string): Promise<boolean> {
  try {
    if (written === undefined) throw new Error("no clipboard");
    await written;
    showToast({ title: "Copied to clipboard", description });
    return true;
  } catch {
    showFailure("Copy failed", "Unable to copy to clipboard");
    return false;
  }
}

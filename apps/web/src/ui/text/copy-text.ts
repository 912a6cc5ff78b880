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
  if (typeof ClipboardItem === "undefined" || navigator.clipboard?.write === undefined) return copyLater(secret, named);
  const blob = secret.then((text) => new Blob([text], { type: "text/plain" }));
  const written = navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
  const isThere = await blob.then(
    () => true,
    () => false,
  );
  if (isThere) return toastCopied(written, named);
  await written?.catch(() => {});
  return false;
}

/** Older Firefox versions have no `ClipboardItem`, but allow writing text for some seconds after the click. */
async function copyLater(secret: Promise<string>, named: string): Promise<boolean> {
  const text = await secret.catch(() => null);
  return text === null ? false : toastCopied(navigator.clipboard?.writeText(text), named);
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

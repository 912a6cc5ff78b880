/**
 * Handles chunks that can't be loaded: after an update their files are gone, and reloading the page loads the new ones.
 * The page reloads itself once; a mark in the history entry, which survives a reload and nothing else, prevents a loop.
 */
interface Marked {
  reloadedForChunk?: boolean;
}

/** Wording of a failed dynamic import in each browser. */
const messages =
  /dynamically imported module|Importing a module script failed|Unable to preload CSS|expected a JavaScript.* module script/i;

export function isMissingChunk(error: unknown): boolean {
  return error instanceof Error && messages.test(error.message);
}

/** @returns false if this page was already reloaded for a missing chunk, or the device is offline */
export function reloadOnce(): boolean {
  const state = (history.state ?? {}) as Marked;
  if (state.reloadedForChunk === true || !navigator.onLine) return false;
  history.replaceState({ ...state, reloadedForChunk: true }, "");
  location.reload();
  return true;
}

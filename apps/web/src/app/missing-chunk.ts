/**
 * A part of the app that can't be fetched: after an update its file is gone, and loading the page anew brings the new ones. That
 * is done once by itself. What says so is kept with this entry of the browser's history, which outlives a reload and nothing else.
 */
interface Marked {
  reloadedForChunk?: boolean;
}

/** Each browser has its own words. */
const messages =
  /dynamically imported module|Importing a module script failed|Unable to preload CSS|expected a JavaScript.* module script/i;

export function isMissingChunk(error: unknown): boolean {
  return error instanceof Error && messages.test(error.message);
}

/** @returns false when that was done here before, or is no use because the device is offline */
export function reloadOnce(): boolean {
  const state = (history.state ?? {}) as Marked;
  if (state.reloadedForChunk === true || !navigator.onLine) return false;
  history.replaceState({ ...state, reloadedForChunk: true }, "");
  location.reload();
  return true;
}

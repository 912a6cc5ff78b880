/**
 * Aliases that are deleted in the list but not yet on the server, so that their deletion can be undone for ten seconds.
 * The request is sent after that time, when other aliases are deleted, when the page is closed, and before a logout.
 * While the page is hidden nothing is sent: the ten seconds begin again when it is shown. One deletion waits at a time.
 * Kept in memory only.
 */

import { beforeLogOut, onUserChange } from "../../../api/session/session.ts";
import { makeStore, useStore } from "../../../ui/store.ts";

export const UNDO_MS = 10_000;

export interface Deletion {
  aliasIds: readonly string[];
  /**
   * Whether the browser must ask before it closes the page, because the request is too large to be finished after
   * closing.
   */
  hasToAsk: boolean;
  /** Deletes the aliases on the server and shows the user any failure. Never rejects. */
  send(): Promise<void>;
}

interface Waiting extends Deletion {
  timer: ReturnType<typeof setTimeout>;
}

let waiting: Waiting | null = null;
/** Ids of aliases that the list leaves out: those of the waiting deletion and of requests in flight. */
const hidden = makeStore<ReadonlySet<string>>(new Set());

function show(aliasIds: readonly string[]): void {
  const next = new Set(hidden.read());
  for (const id of aliasIds) next.delete(id);
  hidden.set(next);
}

export const readHidden = hidden.read;

export const useHidden = (): ReadonlySet<string> => useStore(hidden);

export function deleteLater(deletion: Deletion): void {
  void sendNow();
  waiting = { ...deletion, timer: sendLater() };
  hidden.set(new Set([...readHidden(), ...deletion.aliasIds]));
  listenToLeaving(true, deletion.hasToAsk);
}

/**
 * Cancels the waiting deletion of these aliases.
 * @returns false if its request has been sent already
 */
export function undoDeletion({ aliasIds }: Pick<Deletion, "aliasIds">): boolean {
  if (waiting?.aliasIds !== aliasIds) return false;
  stopWaiting(waiting);
  show(aliasIds);
  return true;
}

/**
 * Sends the request of the waiting deletion.
 * @returns `null` if no deletion waits
 */
export function sendNow(): Promise<void> | null {
  if (waiting === null) return null;
  const { aliasIds, send } = waiting;
  stopWaiting(waiting);
  return send().finally(() => show(aliasIds));
}

const sendLater = () => setTimeout(() => void sendNow(), UNDO_MS);

function stopWaiting({ timer }: Waiting): void {
  clearTimeout(timer);
  waiting = null;
  listenToLeaving(false);
}

function onVisibility(): void {
  if (waiting === null) return;
  clearTimeout(waiting.timer);
  if (document.visibilityState === "visible") waiting.timer = sendLater();
}

const onLeave = () => void sendNow();
const askBeforeLeaving = (event: BeforeUnloadEvent) => event.preventDefault();

function listenToLeaving(isOn: boolean, hasToAsk = false): void {
  const change = isOn ? "addEventListener" : "removeEventListener";
  document[change]("visibilitychange", onVisibility);
  window[change]("pagehide", onLeave);
  window.removeEventListener("beforeunload", askBeforeLeaving);
  if (isOn && hasToAsk) window.addEventListener("beforeunload", askBeforeLeaving);
}

beforeLogOut(sendNow);
// Another user's sign-in discards the waiting deletion; a logout has already sent it.
onUserChange(() => {
  if (waiting !== null) stopWaiting(waiting);
  hidden.set(new Set());
});

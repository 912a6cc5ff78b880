/**
 * Deletions wait ten seconds, so that they can be undone. One waits at a time; hidden pages pause; closing the page, a
 * logout or the next deletion sends it. In memory only.
 */
import { beforeLogOut, onUserChange } from "../../../api/session/session.ts";
import { makeStore, useStore } from "../../../ui/store.ts";

export const UNDO_MS = 10_000;

export interface Deletion {
  aliasIds: readonly string[];
  /** Too many aliases for a request that outlives the page, so the browser asks before closing it. */
  hasToAsk: boolean;
  /** Sends the deletion; reports failures and never rejects. */
  send(): Promise<void>;
}

interface Waiting extends Deletion {
  timer: ReturnType<typeof setTimeout>;
}

let waiting: Waiting | null = null;
/** Aliases left out of the list, because their deletion waits or is in flight. */
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

/** @returns false if the deletion was already sent */
export function undoDeletion({ aliasIds }: Pick<Deletion, "aliasIds">): boolean {
  if (waiting?.aliasIds !== aliasIds) return false;
  stopWaiting(waiting);
  show(aliasIds);
  return true;
}

/** Sends the waiting deletion at once; `null` if none waits. */
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
// When the user changes, a logout has already sent the deletion.
onUserChange(() => {
  if (waiting !== null) stopWaiting(waiting);
  hidden.set(new Set());
});

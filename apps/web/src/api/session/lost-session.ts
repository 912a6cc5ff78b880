/**
 * Whether the session is lost: the server has answered 401 to a call that needs a session. The dashboard then shows
 * "Authentication Required" in place; lost-session-exit.ts leaves other pages.
 */
import { useSyncExternalStore } from "react";

let lost = false;
let note = "";
const listeners = new Set<() => void>();

function set(value: boolean): void {
  if (lost === value) return;
  lost = value;
  for (const listener of listeners) listener();
}

export const markSignedOut = (): void => set(true);
export const markSignedIn = (): void => set(false);
export const isSessionLost = (): boolean => lost;

/** @param text text to append to the toast about the lost session, e.g. that a draft is kept; "" for none */
export function setSessionLossNote(text: string): void {
  note = text;
}

export const sessionLossNote = (): string => note;

export function useSessionLost(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => lost,
    () => false,
  );
}

/**
 * Whether the session is lost: the server has answered 401 to a call that needs a session. The dashboard then shows
 * "Authentication Required" in place; lost-session-exit.ts leaves other pages.
 */
import { useSyncExternalStore } from "react";

let lost = false;
let note = "";
let cookieVersion = 0;
const listeners = new Set<() => void>();

function set(value: boolean): void {
  if (lost === value) return;
  lost = value;
  for (const listener of listeners) listener();
}

/** Counts the sign-ins and sign-outs of this page, each of which replaces or removes the session's cookie. */
export const readCookieVersion = (): number => cookieVersion;

/**
 * Marks the session as lost.
 * @param sentWith cookie version when the refused request was sent; if another cookie has replaced it since, the
 * response says nothing about the present session and is ignored
 */
export function markSignedOut(sentWith = cookieVersion): void {
  if (sentWith === cookieVersion) set(true);
}

/** Called at each sign-in, sign-out and fresh sign-in. */
export function markSignedIn(): void {
  cookieVersion++;
  set(false);
}

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

/**
 * Whether the session is lost: the server has answered 401 to a call that needs a session. The dashboard then shows
 * "Authentication Required" in place; lost-session-exit.ts leaves other pages.
 */
import { makeStore, useStore } from "../../ui/store.ts";

const lost = makeStore(false);
let note = "";
let cookieVersion = 0;

/** Counts the sign-ins and sign-outs of this page, each of which replaces or removes the session's cookie. */
export const readCookieVersion = (): number => cookieVersion;

/**
 * Marks the session as lost.
 * @param sentWith cookie version when the refused request was sent; if another cookie has replaced it since, the
 * response says nothing about the present session and is ignored
 */
export function markSignedOut(sentWith = cookieVersion): void {
  if (sentWith === cookieVersion) lost.set(true);
}

/** Called at each sign-in, sign-out and fresh sign-in. */
export function markSignedIn(): void {
  cookieVersion++;
  lost.set(false);
}

export const isSessionLost = lost.read;

/** @param text text to append to the toast about the lost session, e.g. that a draft is kept; "" for none */
export function setSessionLossNote(text: string): void {
  note = text;
}

export const sessionLossNote = (): string => note;

export const useSessionLost = (): boolean => useStore(lost);

/** After a 401 the dashboard shows "Authentication Required" in place; other pages are left. */
import { makeStore, useStore } from "../../ui/store.ts";

const lost = makeStore(false);
let note = "";
let cookieVersion = 0;

/** Counts how often this page replaced the session cookie, by a sign-in or sign-out. */
export const readCookieVersion = (): number => cookieVersion;

/** Ignored if the session cookie was replaced after the refused request was sent (`sentWith`). */
export function markSignedOut(sentWith = cookieVersion): void {
  if (sentWith === cookieVersion) lost.set(true);
}

export function markSignedIn(): void {
  cookieVersion++;
  lost.set(false);
}

export const { read: isSessionLost, subscribe: onSessionLost } = lost;

/** @param text appended to the toast about the lost session, e.g. that a draft is kept */
export function setSessionLossNote(text: string): void {
  note = text;
}

export const sessionLossNote = (): string => note;

export const useSessionLost = (): boolean => useStore(lost);

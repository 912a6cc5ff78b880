/** After a 401 a dialog asks for a sign-in over the page; a page for everybody is left. */
import { makeStore, useStore } from "../../ui/store.ts";
import { tellTabs } from "./session-tabs.ts";

const lost = makeStore(false);
let cookieVersion = 0;

/** Counts how often this page replaced the session cookie, by a sign-in or sign-out. */
export const readCookieVersion = (): number => cookieVersion;

/** Ignored if the session cookie was replaced after the refused request was sent (`sentWith`). */
export function markSignedOut(sentWith = cookieVersion): void {
  if (sentWith !== cookieVersion || lost.read()) return;
  lost.set(true);
  tellTabs({ kind: "signed-out", inactive: false, lost: true });
}

export function markSignedIn(): void {
  cookieVersion++;
  lost.set(false);
}

let leftPage = "/dashboard";

/** The page on which this tab's user was logged out for inactivity; the next sign-in leads to it. */
export const readLeftPage = (): string => leftPage;
export function setLeftPage(path = "/dashboard"): void {
  leftPage = path;
}

export const { read: isSessionLost, subscribe: onSessionLost } = lost;

export const useSessionLost = (): boolean => useStore(lost);

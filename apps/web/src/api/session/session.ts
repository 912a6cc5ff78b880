/** Works without the query library, for public pages. A failed session check means signed out (specification, 8). */
import type { AuthMethod, UserWire } from "@kauke/contract";
import { useEffect, useEffectEvent } from "react";
import { t } from "../../texts/texts.ts";
import { makeStore, useStore } from "../../ui/store.ts";
import { ApiError } from "../api-error.ts";
import { call, countEvent, requestLogout } from "../client.ts";
import { dropAhead } from "./asked-ahead.ts";
import { isSessionLost, markSignedIn, markSignedOut, readCookieVersion } from "./lost-session.ts";
import { listenToTabs, type TabMessage, tellTabs } from "./session-tabs.ts";

interface Session {
  user: UserWire | null;
  isLoading: boolean;
}

const asking: Session = { user: null, isLoading: true };
const session = makeStore(asking);
const forgetCallbacks = new Set<() => void>();

const setSession = (user: UserWire | null): void => session.set({ user, isLoading: false });

async function askSession(): Promise<UserWire | null> {
  try {
    const { user } = await call("getSession");
    storeSession(user);
    forgetStoredInvite();
    return user;
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) console.warn(t("The session check failed."));
    clearSession();
    return null;
  }
}

/** Key of the tab's storage with an invite (held-invite.ts, which public pages do not load). */
export const inviteKey = "invite";

/** Google leads back to a new page, where nothing else knows that the invite was used. */
function forgetStoredInvite(): void {
  try {
    sessionStorage.removeItem(inviteKey);
  } catch {
    // Storage is switched off.
  }
}

/** Asks the server who is signed in; the response is ignored if somebody has signed in or out meanwhile. */
export async function checkSession(): Promise<void> {
  const before = session.read();
  const user = await askSession();
  if (session.read() !== before) return;
  if (before.user !== null && before.user.id !== user?.id) forgetLoaded();
  setSession(user);
}

export const { read: readSession, subscribe: onSession } = session;

/** Calls `forget` before a new user is set, to drop the previous user's data. */
export function onUserChange(forget: () => void): void {
  forgetCallbacks.add(forget);
}

/** The session; "loading" while a prerendered page hydrates, because it was drawn so. */
export const useSession = (): Session => useStore(session);

/** The signed-in user. @throws on screens that a signed-out visitor can reach */
export function useUser(): UserWire {
  const { user } = useSession();
  if (user === null) throw new Error("This screen needs a signed-in user");
  return user;
}

function forgetLoaded(): void {
  dropAhead();
  for (const forget of forgetCallbacks) forget();
}

const resumeCallbacks = new Set<() => void>();

/** Calls `resume` when the user of a lost session has signed in again, in this tab or another. */
export const onResume = (resume: () => void): unknown => resumeCallbacks.add(resume);

/** The page stays as it is for the user whose session was lost. @returns false for anybody else */
function resumeSession(userId: string): boolean {
  if (!isSessionLost() || session.read().user?.id !== userId) return false;
  markSignedIn();
  for (const resume of resumeCallbacks) resume();
  return true;
}

export function enterSession(user: UserWire): void {
  ending?.abort();
  storeSession(user);
  if (resumeSession(user.id)) tellTabs({ kind: "signed-in", userId: user.id });
  else {
    forgetLoaded();
    setSession(user);
    markSignedIn();
  }
  countEvent("login_success");
}

/**
 * Drops the user's data and pending requests, since both may hold passwords. Other tabs aren't told: after a lost
 * session they ask for a sign-in over their pages.
 */
export function forgetUser(): void {
  clearSession();
  setSession(null);
  forgetLoaded();
  markSignedIn();
}

/** Leaves the session without calling the server. */
export function leaveSession(inactive = false): void {
  forgetUser();
  tellTabs({ kind: "signed-out", inactive, lost: false });
}

const LOGOUT_WAIT_MS = 2000;

/** A sign-in aborts the logout, whose late response would clear the new session's cookie. */
let ending: AbortController | null = null;

/** Signs out in the browser at once. Resolves after the response, or after two seconds. */
export async function logOut(): Promise<void> {
  const ended = endAtServer();
  leaveSession();
  countEvent("logout");
  await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, LOGOUT_WAIT_MS))]);
}

/** Ends the session at the server; never throws. */
export async function endAtServer(): Promise<void> {
  const own = new AbortController();
  ending = own;
  try {
    await requestLogout(own.signal);
  } catch {
    if (!own.signal.aborted) console.warn(t("The server did not respond to the logout."));
  } finally {
    if (ending === own) ending = null;
  }
}

/** Another tab was refused; this one asks for itself, since its cookie may be newer by now. */
async function checkLoss(): Promise<void> {
  const sentWith = readCookieVersion();
  try {
    await call("getSession");
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) markSignedOut(sentWith);
  }
}

/** @param onLeft called after another tab's sign-out has signed this tab out */
export function useOtherTabs(onLeft: (inactive: boolean) => void): void {
  const onMessage = useEffectEvent((message: TabMessage) => {
    const { user, isLoading } = readSession();
    // The session check in flight is newer than the other tab's message.
    if (isLoading) return;
    if (message.kind === "signed-in" && !resumeSession(message.userId) && message.userId !== user?.id) {
      forgetUser();
      void checkSession();
    }
    if (message.kind === "signed-out" && user !== null) {
      if (message.lost) return void checkLoss();
      forgetUser();
      onLeft(message.inactive);
    }
  });
  useEffect(() => listenToTabs(onMessage), []);
}

/** What is stored is never a token: the session is an HttpOnly cookie (specification sections 3 and 4). */
type Storage = Pick<globalThis.Storage, "setItem" | "removeItem">;

/** Sign-in method of an account: `email` if it has one, else `wallet`, else `google`. */
export function authMethodOf(user: Pick<UserWire, "email" | "walletAddress">): AuthMethod {
  if (user.email) return "email";
  return user.walletAddress ? "wallet" : "google";
}

export function clearSession(storage: Storage = localStorage): void {
  for (const key of ["walletAddress", "user", "authMethod"]) storage.removeItem(key);
}

export function storeSession(user: UserWire, storage: Storage = localStorage): void {
  const { email, walletAddress, authMethod, balance } = user;
  storage.setItem("user", JSON.stringify({ email, walletAddress, authMethod, balance }));
  storage.setItem("authMethod", authMethodOf(user));
  if (walletAddress) storage.setItem("walletAddress", walletAddress);
  else storage.removeItem("walletAddress");
}

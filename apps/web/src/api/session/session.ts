/**
 * Who is signed in: one value for the whole app, without the query library so that public pages don't carry it. 401 reads as
 * nobody; any other failure is logged and reads as signed out too (specification section 8). Signing in and out changes the
 * value and the stored session together.
 */
import type { UserWire } from "@kauke/contract";
import { useEffect, useEffectEvent, useSyncExternalStore } from "react";
import { ApiError } from "../api-error.ts";
import { call, endSession } from "../client.ts";
import { countEvent } from "../count-event.ts";
import { dropAhead } from "./asked-ahead.ts";
import { isSessionLost, markSignedIn, markSignedOut } from "./lost-session.ts";
import { listenToTabs, type TabMessage, tellTabs } from "./session-tabs.ts";
import { clearSession, storeSession } from "./stored-session.ts";

export interface Session {
  user: UserWire | null;
  isLoading: boolean;
}

const asking: Session = { user: null, isLoading: true };
let session = asking;
const readers = new Set<() => void>();
const forgetters = new Set<() => void>();

function become(user: UserWire | null): void {
  session = { user, isLoading: false };
  for (const reader of readers) reader();
}

async function askSession(): Promise<UserWire | null> {
  try {
    const { user } = await call("getSession");
    storeSession(user);
    return user;
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) console.warn("The session check failed.");
    clearSession();
    return null;
  }
}

/** Asks the server; what a sign-in or a logout has said meanwhile stands. */
export async function checkSession(): Promise<void> {
  const before = session;
  const user = await askSession();
  if (session !== before) return;
  if (before.user !== null && before.user.id !== user?.id) forgetLoaded();
  become(user);
}

export const readSession = (): Session => session;

/** Calls back whenever somebody comes or goes, before the new user is known: what an earlier one had loaded is forgotten. */
export function onUserChange(forget: () => void): void {
  forgetters.add(forget);
}

function subscribe(reader: () => void): () => void {
  readers.add(reader);
  return () => readers.delete(reader);
}

/** A page drawn beforehand is taken over in the state it was drawn in: nobody has been asked yet. */
export function useSession(): Session {
  return useSyncExternalStore(subscribe, readSession, () => asking);
}

/** The signed-in user; for screens that are only shown to one. */
export function useUser(): UserWire {
  const { user } = useSession();
  if (user === null) throw new Error("This screen needs a signed-in user");
  return user;
}

function forgetLoaded(): void {
  dropAhead();
  for (const forget of forgetters) forget();
}

/** Takes over a user the server has just signed in, and forgets what an earlier one had loaded. */
export function enterSession(user: UserWire): void {
  ending?.abort();
  forgetLoaded();
  storeSession(user);
  become(user);
  markSignedIn();
  countEvent("login_success");
}

/** Everything that tells of the person: the session, answers and requests (passwords among them). */
function forgetUser(): void {
  clearSession();
  become(null);
  forgetLoaded();
  markSignedIn();
}

/** Forgets the user here and in the other tabs; says nothing to the server. */
export function leaveSession(inactive = false): void {
  const lost = isSessionLost();
  forgetUser();
  tellTabs({ kind: "signed-out", inactive, lost });
}

export const useEnterSession = (): typeof enterSession => enterSession;

export const useLeaveSession = (): typeof leaveSession => leaveSession;

/** How long a way out waits for the server at most. */
const LOGOUT_WAIT_MS = 2000;

/** The running call that ends a session: its late answer would take the cookie of the next one away. */
let ending: AbortController | null = null;

/** Forgets the user at once, whatever the server will answer. Resolves with its answer, after two seconds at most. */
export async function logOut(): Promise<void> {
  const ended = endAtServer();
  leaveSession();
  countEvent("logout");
  await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, LOGOUT_WAIT_MS))]);
}

/** Never fails: that is only logged. */
export async function endAtServer(): Promise<void> {
  const own = new AbortController();
  ending = own;
  try {
    await endSession(own.signal);
  } catch {
    if (!own.signal.aborted) console.warn("The server did not answer the logout.");
  } finally {
    if (ending === own) ending = null;
  }
}

/** Signing in or out in another tab is true here too. @param onLeft after somebody was signed out here by that */
export function useOtherTabs(onLeft: (inactive: boolean) => void): void {
  const hear = useEffectEvent((message: TabMessage) => {
    const { user, isLoading } = session;
    // While the server is being asked its answer is the newest there is.
    if (isLoading) return;
    if (message.kind === "signed-in" && message.userId !== user?.id) {
      forgetUser();
      void checkSession();
    }
    if (message.kind === "signed-out" && user !== null) {
      if (message.lost) markSignedOut();
      forgetUser();
      onLeft(message.inactive);
    }
  });
  useEffect(() => listenToTabs(hear), []);
}

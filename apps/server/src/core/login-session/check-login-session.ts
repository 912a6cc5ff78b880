/**
 * Finds the session of a token, if it has not expired: after 30 minutes without a request, or 24 hours after sign-in.
 */
import { sessionTimes } from "@kauke/contract";
import { isFromFuture } from "../clock-set-back.ts";
import type { CoreDeps } from "../core-deps.ts";
import type { LoginSession } from "./login-session.ts";
import { hashSessionToken } from "./session-token.ts";

/** Minimum interval between writes of `lastSeenAt`, so that many requests of one page cause one write a minute. */
const TOUCH_EVERY_SECONDS = 60;

/**
 * Finds the session of a token, and updates the time of its last use.
 * @returns `null` when the token is unknown or the session has expired
 */
export async function checkLoginSession(
  deps: Pick<CoreDeps, "loginSessions" | "clock">,
  token: string,
): Promise<LoginSession | null> {
  const tokenHash = hashSessionToken(token);
  if (tokenHash === null) return null;
  const session = await deps.loginSessions.find(tokenHash);
  const now = deps.clock.now();
  if (session === null || isOver(session, now)) return null;
  if (Math.abs(secondsBetween(session.lastSeenAt, now)) >= TOUCH_EVERY_SECONDS)
    await deps.loginSessions.touch(tokenHash, now);
  return session;
}

/** Whether the session has expired: idle too long, too old, or started in the future because the clock was set back. */
export function isOver(session: LoginSession, now: Date): boolean {
  return (
    secondsBetween(session.lastSeenAt, now) >= sessionTimes.idleSeconds ||
    secondsBetween(session.createdAt, now) >= sessionTimes.absoluteSeconds ||
    isFromFuture(session.createdAt, now)
  );
}

function secondsBetween(from: Date, to: Date): number {
  return (to.getTime() - from.getTime()) / 1000;
}

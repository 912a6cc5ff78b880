/** Who a session token belongs to, if it still counts: 30 min without a request or 24 h in all end it (DESIGN, security R7). */
import { sessionTimes } from "@kauke/contract";
import { isFromFuture } from "../clock-set-back.ts";
import type { CoreDeps } from "../core-deps.ts";
import type { LoginSession } from "./login-session.ts";
import { hashSessionToken } from "./session-token.ts";

/** The idle time is written this often at most: a busy page costs one write a minute. */
const TOUCH_EVERY_SECONDS = 60;

/** @returns `null` when the token is unknown or its time is over */
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

/** Whether its time is over: too long idle, too old, or of an age nobody knows, since the clock was set back. */
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

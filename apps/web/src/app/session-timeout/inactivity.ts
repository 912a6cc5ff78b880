/**
 * When inactivity ends a session (specification sections 4 and 9), as pure functions over moments of `Date.now()`: a tab that slept
 * through its timers finds out by the clock. The server's own 30 minutes run from the last request, so the page asks for the
 * session after activity, at most every 5 minutes.
 */
import { sessionTimes } from "@kauke/contract";

const idleMs = sessionTimes.idleSeconds * 1000;
const warningMs = sessionTimes.warningSeconds * 1000;
const keepAliveMs = sessionTimes.keepAliveSeconds * 1000;
/** The server writes down when it last heard of a session once a minute at most. */
const serverStepMs = 60_000;
/** A timer may be late by this much; by more, the tab slept. */
const lateMs = 2000;

export interface Inactivity {
  lastActivityAt: number;
  /** When the server was last asked for the session. */
  checkedAt: number;
}

export type Phase =
  | { name: "active" }
  | { name: "warning"; secondsLeft: number }
  | { name: "over"; overslept: boolean };

export function phaseAt({ lastActivityAt }: Inactivity, now: number): Phase {
  const leftMs = lastActivityAt + idleMs - now;
  if (leftMs <= 0) return { name: "over", overslept: leftMs < -lateMs };
  return leftMs > warningMs ? { name: "active" } : { name: "warning", secondsLeft: Math.ceil(leftMs / 1000) };
}

/** Counts once a second. While the warning is open only its button counts: a pointer on its way there would close it. */
export function isCounted(state: Inactivity, now: number): boolean {
  return phaseAt(state, now).name === "active" && now - state.lastActivityAt >= sessionTimes.activityThrottleMs;
}

/** Activity here or in another tab; what is heard late changes nothing. */
export function withActivity(state: Inactivity, at: number): Inactivity {
  return at > state.lastActivityAt ? { ...state, lastActivityAt: at } : state;
}

export function withCheck(state: Inactivity, at: number): Inactivity {
  return at > state.checkedAt ? { ...state, checkedAt: at } : state;
}

/** When the server is to hear of the activity; `null` when it has. */
export function checkDueAt({ lastActivityAt, checkedAt }: Inactivity): number | null {
  return lastActivityAt > checkedAt - serverStepMs ? checkedAt + keepAliveMs : null;
}

/** Milliseconds until there is something to do or to show: a check, the warning, the next second, the end. */
export function nextLookIn(state: Inactivity, now: number): number {
  const leftMs = state.lastActivityAt + idleMs - now;
  if (leftMs <= warningMs) return leftMs % 1000 || 1000;
  return Math.max(0, Math.min(leftMs - warningMs, (checkDueAt(state) ?? Infinity) - now));
}

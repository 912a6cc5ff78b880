/**
 * When inactivity ends a session (specification sections 4 and 9), as pure functions of `Date.now()` timestamps: a tab
 * that was suspended while its timers were due reads the clock instead. The server's own 30 minutes start at the last
 * request, so the page asks for the session after activity, at most every 5 minutes.
 */
import { sessionTimes } from "@kauke/contract";

const idleMs = sessionTimes.idleSeconds * 1000;
const warningMs = sessionTimes.warningSeconds * 1000;
const keepAliveMs = sessionTimes.keepAliveSeconds * 1000;
/** The server stores the time of a session's last request at most once per this many milliseconds. */
const SERVER_STEP_MS = 60_000;
/** Maximum delay of a timer in milliseconds; a longer one means that the tab was suspended. */
const MAX_TIMER_DELAY_MS = 2000;

export interface Inactivity {
  lastActivityAt: number;
  /** When the server was last asked for the session, in milliseconds of `Date.now()`. */
  checkedAt: number;
}

/** `overslept`: the end of the session was noticed so late that the tab must have been suspended. */
type Phase = { name: "active" } | { name: "warning"; secondsLeft: number } | { name: "over"; overslept: boolean };

export function phaseAt({ lastActivityAt }: Inactivity, now: number): Phase {
  const leftMs = lastActivityAt + idleMs - now;
  if (leftMs <= 0) return { name: "over", overslept: leftMs < -MAX_TIMER_DELAY_MS };
  return leftMs > warningMs ? { name: "active" } : { name: "warning", secondsLeft: Math.ceil(leftMs / 1000) };
}

/**
 * Whether activity counts now: once a second, and not while the warning is open, where only its button counts, since
 * moving the pointer towards it would close it.
 */
export function isCounted(state: Inactivity, now: number): boolean {
  return phaseAt(state, now).name === "active" && now - state.lastActivityAt >= sessionTimes.activityThrottleMs;
}

/** Records activity of this or another tab; activity older than what is known changes nothing. */
export function withActivity(state: Inactivity, at: number): Inactivity {
  return at > state.lastActivityAt ? { ...state, lastActivityAt: at } : state;
}

export function withCheck(state: Inactivity, at: number): Inactivity {
  return at > state.checkedAt ? { ...state, checkedAt: at } : state;
}

/**
 * Time of the next session check, by which the server learns of the activity; `null` if there was none since the last
 * check.
 */
export function checkDueAt({ lastActivityAt, checkedAt }: Inactivity): number | null {
  return lastActivityAt > checkedAt - SERVER_STEP_MS ? checkedAt + keepAliveMs : null;
}

/** Milliseconds until the next change: a session check, the warning, its next second, or the sign-out. */
export function nextLookIn(state: Inactivity, now: number): number {
  const leftMs = state.lastActivityAt + idleMs - now;
  if (leftMs <= warningMs) return leftMs % 1000 || 1000;
  return Math.max(0, Math.min(leftMs - warningMs, (checkDueAt(state) ?? Infinity) - now));
}

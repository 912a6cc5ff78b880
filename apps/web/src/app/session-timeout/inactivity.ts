/** Compares times with the clock: timers of a suspended tab are late. The server counts from the last request. */
import { sessionTimes } from "@kauke/contract";

const idleMs = sessionTimes.idleSeconds * 1000;
const warningMs = sessionTimes.warningSeconds * 1000;
const keepAliveMs = sessionTimes.keepAliveSeconds * 1000;
/** The server stores a session's last request at most this often. */
const SERVER_STEP_MS = 60_000;
/** A timer later than this means that the tab was suspended. */
const MAX_TIMER_DELAY_MS = 2000;

export interface Inactivity {
  lastActivityAt: number;
  checkedAt: number;
}

/** `overslept`: the tab was suspended when the session ended. */
type Phase = { name: "active" } | { name: "warning"; secondsLeft: number } | { name: "over"; overslept: boolean };

export function phaseAt({ lastActivityAt }: Inactivity, now: number): Phase {
  const leftMs = lastActivityAt + idleMs - now;
  if (leftMs <= 0) return { name: "over", overslept: leftMs < -MAX_TIMER_DELAY_MS };
  return leftMs > warningMs ? { name: "active" } : { name: "warning", secondsLeft: Math.ceil(leftMs / 1000) };
}

/** Activity counts once a second. While the warning is open only its button counts: reaching for it would close it. */
export function isCounted(state: Inactivity, now: number): boolean {
  return phaseAt(state, now).name === "active" && now - state.lastActivityAt >= sessionTimes.activityThrottleMs;
}

export function withActivity(state: Inactivity, at: number): Inactivity {
  return at > state.lastActivityAt ? { ...state, lastActivityAt: at } : state;
}

export function withCheck(state: Inactivity, at: number): Inactivity {
  return at > state.checkedAt ? { ...state, checkedAt: at } : state;
}

/** When the next session check tells the server of activity; `null` without activity since the last check. */
export function checkDueAt({ lastActivityAt, checkedAt }: Inactivity): number | null {
  return lastActivityAt > checkedAt - SERVER_STEP_MS ? checkedAt + keepAliveMs : null;
}

export function nextLookIn(state: Inactivity, now: number): number {
  const leftMs = state.lastActivityAt + idleMs - now;
  if (leftMs <= warningMs) return leftMs % 1000 || 1000;
  return Math.max(0, Math.min(leftMs - warningMs, (checkDueAt(state) ?? Infinity) - now));
}

/** Chooses sessions that take too long: always by their timeouts, and by their speed when memory is short. Pure. */
import type { SessionTimes } from "./session-limits.ts";

/** Progress of a session. All times are milliseconds of one clock. */
export interface SessionProgress {
  /** Whether the client waits for our reply, or its bytes are being processed. */
  isBusy: boolean;
  /** Time at which the wait for the next line, or for the rest of the message, began. */
  since: number;
  /** Time of the reply to the last message; initially the start of the session. */
  lastMailAt: number;
  /** Whether the client must sign in and has not. */
  isStranger: boolean;
  /** Bytes of the incoming message received, and how many of them are in memory; `null` when there is none. */
  data: { receivedBytes: number; heldBytes: number } | null;
}

/** Which timeout a session has exceeded. */
export type SlowAt = "line" | "data" | "no_mail" | "sign_in";

/** @returns `null` when the session is within its timeouts */
export function overdue(session: SessionProgress, now: number, times: SessionTimes): SlowAt | null {
  if (session.isBusy) return null;
  const waited = now - session.since;
  if (session.data !== null) return waited > times.dataMs ? "data" : null;
  if (waited > times.lineMs) return "line";
  if (session.isStranger && now - session.lastMailAt > times.signInMs) return "sign_in";
  return now - session.lastMailAt > times.withoutMailMs ? "no_mail" : null;
}

/** Whether a message is old enough to measure its speed, and slower than required. */
export function isSlowMessage({ data, since }: SessionProgress, now: number, times: SessionTimes): boolean {
  if (data === null || now - since < times.slowAfterMs) return false;
  return (data.receivedBytes * 1000) / (now - since) < times.slowBytesPerSecond;
}

/** @returns sessions whose end frees `bytes`, slowest first; fewer when the others are fast enough or just beginning */
export function slowestFirst<T extends { progress: SessionProgress }>(
  sessions: Iterable<T>,
  bytes: number,
  { now, times }: { now: number; times: SessionTimes },
): T[] {
  const slow: { session: T; heldBytes: number; speed: number }[] = [];
  for (const session of sessions) {
    const { progress } = session;
    const { data, since } = progress;
    if (data === null || data.heldBytes === 0 || progress.isBusy || !isSlowMessage(progress, now, times)) continue;
    slow.push({ session, heldBytes: data.heldBytes, speed: (data.receivedBytes * 1000) / (now - since) });
  }
  slow.sort((one, other) => one.speed - other.speed);
  let freed = 0;
  const chosen: T[] = [];
  for (const { session, heldBytes } of slow) {
    if (freed >= bytes) break;
    chosen.push(session);
    freed += heldBytes;
  }
  return chosen;
}

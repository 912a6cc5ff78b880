/** Which sessions take too long: by the clock always, by their speed when memory is short. Pure. */
import type { SessionTimes } from "./session-limits.ts";

/** Times in milliseconds of one clock. */
export interface SessionProgress {
  /** The client waits for us, or we are at its bytes at this moment. */
  isBusy: boolean;
  /** Since when the next line, or the rest of the message, is awaited. */
  since: number;
  /** When the last message was answered; at first, when the session began. */
  lastMailAt: number;
  /** Signing in is asked for here and has not happened. */
  isStranger: boolean;
  /** Of a message coming in: bytes so far, and how many of them are in memory. */
  data: { receivedBytes: number; heldBytes: number } | null;
}

/** What a session is too slow at. */
export type SlowAt = "line" | "data" | "no_mail" | "sign_in";

/** @returns `null`: it may go on */
export function overdue(session: SessionProgress, now: number, times: SessionTimes): SlowAt | null {
  if (session.isBusy) return null;
  const waited = now - session.since;
  if (session.data !== null) return waited > times.dataMs ? "data" : null;
  if (waited > times.lineMs) return "line";
  if (session.isStranger && now - session.lastMailAt > times.signInMs) return "sign_in";
  return now - session.lastMailAt > times.withoutMailMs ? "no_mail" : null;
}

/** Whether a message has had time to show its speed and is below the one that is asked for. */
export function isSlowMessage({ data, since }: SessionProgress, now: number, times: SessionTimes): boolean {
  if (data === null || now - since < times.slowAfterMs) return false;
  return (data.receivedBytes * 1000) / (now - since) < times.slowBytesPerSecond;
}

/** @returns those whose end gives `bytes` back, the slowest first; fewer where the others are fast enough or just beginning */
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

/** Limits of one SMTP session: counts, timeouts, and minimum speed when memory is short. Time is passed in. */
import type { Standing } from "../../limits/slots.ts";
import { bounds } from "../../limits/table.ts";

/** Bytes of the memory budget that must be free when a message begins. */
export const MIN_ROOM_BYTES = 65_536;
export const UNREAD_BYTES_MAX = 262_144;

/** Timeouts of a session in milliseconds. Single bytes extend only `idleMs`. */
export interface SessionTimes {
  /** Without any byte received; RFC 5321 §4.5.3.2.7 asks for five minutes. */
  idleMs: number;
  lineMs: number;
  /** From DATA to the final dot: enough for the largest message at 15 KiB a second. */
  dataMs: number;
  /** Without a complete message: connections exist to deliver mail. */
  withoutMailMs: number;
  signInMs: number;
  crowdedLineMs: number;
  /** Interval of the checks of these timeouts, except `idleMs`. */
  sweepMs: number;
  /** Under memory pressure: time after DATA from which a message's speed is measured. */
  slowAfterMs: number;
  /** Under memory pressure: minimum speed of a message. Mail hosts are many times faster. */
  slowBytesPerSecond: number;
}

export const smtpSessionTimes: SessionTimes = {
  ...bounds.smtpSession,
  ...bounds.submissionSignIn,
  sweepMs: 5000,
  slowAfterMs: 10_000,
  slowBytesPerSecond: 65_536,
};

/** Each `isTooMany…` method counts one more and returns whether the limit is exceeded. */
export class SessionCounts {
  #errors = 0;
  #commands = 0;
  #extraRecipients = 0;

  isTooManyErrors(): boolean {
    return ++this.#errors >= bounds.smtpSession.errors;
  }

  isTooManyCommands(): boolean {
    return ++this.#commands > bounds.smtpSession.commands;
  }

  isTooManyRecipients(): boolean {
    return ++this.#extraRecipients > bounds.smtpSession.extraRecipients;
  }

  /** Resets the counts at the end of a message, except errors, which count for the whole session. */
  noteMessage(): void {
    this.#commands = 0;
    this.#extraRecipients = 0;
  }
}

/** All times are milliseconds of one clock. */
export interface SessionProgress {
  /** The client waits for our reply, or its bytes are being processed. */
  isBusy: boolean;
  /** Time at which the wait for the next line, or the rest of the message, began. */
  since: number;
  /** Time of the reply to the last message; initially the start of the session. */
  lastMailAt: number;
  isStranger: boolean;
  /** Bytes of the incoming message, received and in memory; `null` without one. */
  data: { receivedBytes: number; heldBytes: number } | null;
}

export type SlowAt = "line" | "data" | "no_mail" | "sign_in";

export function overdue(session: SessionProgress, now: number, times: SessionTimes): SlowAt | null {
  if (session.isBusy) return null;
  const waited = now - session.since;
  if (session.data !== null) return waited > times.dataMs ? "data" : null;
  if (waited > times.lineMs) return "line";
  if (session.isStranger && now - session.lastMailAt > times.signInMs) return "sign_in";
  return now - session.lastMailAt > times.withoutMailMs ? "no_mail" : null;
}

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

/** Idle from the end of the last message, whatever the commands. A message that just began or is fast is moving. */
export function standingOf(session: SessionProgress, now: number, times: SessionTimes): Standing {
  const common = { idleSince: session.lastMailAt, isKnown: !session.isStranger };
  if (session.isBusy) return { state: "answering", ...common };
  const isMoving = session.data !== null && !isSlowMessage(session, now, times);
  return { state: isMoving ? "moving" : "idle", ...common };
}

/** Limits of one SMTP session. A session that exceeds one is ended or gets a temporary refusal. */

/** Maximum recipients of one message. */
export const RECIPIENTS_MAX = 100;
/**
 * Maximum RCPT commands beyond `RECIPIENTS_MAX` between two messages. A host with a longer list may send all of it
 * before it reads a reply (RFC 5321 §4.5.3.1.10); more than this only keeps the event loop busy.
 */
export const EXTRA_RECIPIENTS_MAX = 1000;
export const ERRORS_MAX = 20;
/** Maximum commands between two messages, RCPT not counted. */
export const COMMANDS_MAX = 300;
/** Bytes of the memory budget that must be free when a message begins. */
export const MIN_ROOM_BYTES = 65_536;
export const UNREAD_BYTES_MAX = 262_144;
/**
 * Bytes that a client may send while a command is in progress: more than `EXTRA_RECIPIENTS_MAX` RCPT commands. The socket
 * is read meanwhile, because one that is paused buffers an object for each TLS record.
 */
export const UNPROCESSED_BYTES_MAX = 131_072;

/** Timeouts of a session in milliseconds, and its minimum speed. Single bytes extend only `idleMs`. */
export interface SessionTimes {
  /** Time without any byte received; RFC 5321 §4.5.3.2.7 asks for five minutes. */
  idleMs: number;
  /** Time from a reply to the end of the next command line. */
  lineMs: number;
  /** Time from DATA to the final dot: enough for the largest message at 15 KiB a second. */
  dataMs: number;
  /** Time without a complete message: connections exist to deliver mail. */
  withoutMailMs: number;
  /** Time to sign in, where that is required. */
  signInMs: number;
  /** Replaces `lineMs` while many connections are in use. */
  crowdedLineMs: number;
  /** Interval at which these timeouts, except `idleMs`, are checked. */
  sweepMs: number;
  /** Under memory pressure: milliseconds after DATA from which the speed of an incoming message is measured. */
  slowAfterMs: number;
  /** Under memory pressure: minimum bytes per second of an incoming message. Mail hosts are many times faster. */
  slowBytesPerSecond: number;
}

export const sessionTimes: SessionTimes = {
  idleMs: 300_000,
  lineMs: 300_000,
  dataMs: 1_800_000,
  withoutMailMs: 1_800_000,
  signInMs: 120_000,
  crowdedLineMs: 30_000,
  sweepMs: 5000,
  slowAfterMs: 10_000,
  slowBytesPerSecond: 65_536,
};

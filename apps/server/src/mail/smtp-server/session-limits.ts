/** Limits of one SMTP session. A session that exceeds one is ended or gets a temporary refusal. */
export const maxRecipients = 100;
/**
 * RCPT commands beyond `maxRecipients` between two messages. A host with a longer list may send all of it before it
 * reads a reply (RFC 5321 §4.5.3.1.10); more than this only keeps the event loop busy.
 */
export const maxExtraRecipients = 1000;
export const maxErrors = 20;
/** Commands between two messages, RCPT not counted. */
export const maxCommands = 300;
/** Free memory required to begin a message. */
export const minRoomBytes = 65_536;
export const maxUnreadBytes = 262_144;

/** Timeouts of a session in milliseconds. They are not extended by single bytes, except `idleMs`. */
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
  /** Under memory pressure: age from which the speed of an incoming message is measured. */
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

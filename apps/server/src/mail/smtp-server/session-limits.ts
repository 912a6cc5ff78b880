/** What one SMTP session may ask for before it is shown out or told to wait. */
export const maxRecipients = 100;
/**
 * RCPT commands beyond those, between two messages. A host with a longer list may send all of it before it reads an answer
 * (RFC 5321 §4.5.3.1.10); one that goes on for ever only keeps the event loop busy.
 */
export const maxExtraRecipients = 1000;
export const maxErrors = 20;
/** Commands between two messages, RCPT not counted. */
export const maxCommands = 300;
/** Room below which a message is not even begun. */
export const minRoomBytes = 65_536;
export const maxUnreadBytes = 262_144;

/** How long a session may take, in milliseconds. Bytes that trickle in win no time but the first. */
export interface SessionTimes {
  /** No byte at all; RFC 5321 §4.5.3.2.7 asks for five minutes. */
  idleMs: number;
  /** From one answer to the end of the next command line. */
  lineMs: number;
  /** From DATA to the final dot: the largest message at 15 KiB a second. */
  dataMs: number;
  /** Without a message coming to its end: a connection is there to bring mail. */
  withoutMailMs: number;
  /** Until somebody has signed in, where that is asked for. */
  signInMs: number;
  /** What `lineMs` becomes while the connections are crowded. */
  crowdedLineMs: number;
  /** How often these but the first are looked at. */
  sweepMs: number;
  /** When memory gets short: how long a message may take to show its speed, … */
  slowAfterMs: number;
  /** … and below which speed it has to go. A mail host sends many times faster, a telephone line does not. */
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

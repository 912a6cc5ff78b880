/** One command line of a client: verb and argument (RFC 5321 §4.1.1). */
export interface SmtpCommand {
  /** Upper case. */
  verb: string;
  argument: string;
}

/** RFC 5321 §4.5.3.1.4 says 512 octets; SMTPUTF8 paths and parameters need room, so twice that and no more. */
export const maxCommandBytes = 2048;

const VERB = /^([A-Za-z]{4,12})(?: (.*)| *)$/s;

/** @returns `null` when the line is no command: not letters, or holding NUL, CR or LF */
export function parseCommand(line: string): SmtpCommand | null {
  if (/[\0\r\n]/.test(line)) return null;
  const match = VERB.exec(line);
  if (match === null) return null;
  return { verb: (match[1] as string).toUpperCase(), argument: (match[2] ?? "").trim() };
}

const lastInGroup: ReadonlySet<string> = new Set(["EHLO", "HELO", "DATA"]);
const envelope: ReadonlySet<string> = new Set(["MAIL", "RCPT"]);

/**
 * Whether a client has to read the answer before it goes on: always to what ends a group (RFC 2920 §3.1), and to the envelope as
 * well when it was never told of PIPELINING. One that does not is a script that never looks, or somebody else's bytes.
 */
export function mustAwaitAnswer(verb: string, isPipelining: boolean): boolean {
  return lastInGroup.has(verb) || (!isPipelining && envelope.has(verb));
}

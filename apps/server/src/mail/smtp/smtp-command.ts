/** One command line of a client: verb and argument (RFC 5321 §4.1.1). */
export interface SmtpCommand {
  /** Verb in upper case. */
  verb: string;
  argument: string;
}

/** Maximum octets of a command line: RFC 5321 §4.5.3.1.4 requires 512; SMTPUTF8 paths and parameters need more. */
export const COMMAND_BYTES_MAX = 2048;

const VERB = /^([A-Za-z]{4,12})(?: (.*)| *)$/s;

/** @returns `null` when the line is no command: the verb is not 4 to 12 letters, or the line has a NUL, CR or LF */
export function parseCommand(line: string): SmtpCommand | null {
  if (/[\0\r\n]/.test(line)) return null;
  const match = VERB.exec(line);
  if (match === null) return null;
  return { verb: (match[1] as string).toUpperCase(), argument: (match[2] ?? "").trim() };
}

const lastInGroup: ReadonlySet<string> = new Set(["EHLO", "HELO", "DATA"]);
const envelope: ReadonlySet<string> = new Set(["MAIL", "RCPT"]);

/**
 * Whether a client has to read the reply before it sends more: always after commands that end a group (RFC 2920 §3.1),
 * and after envelope commands when it was not offered PIPELINING. A client that does not wait is a script that ignores
 * replies, or the bytes are injected.
 */
export function mustAwaitAnswer(verb: string, isPipelining: boolean): boolean {
  return lastInGroup.has(verb) || (!isPipelining && envelope.has(verb));
}

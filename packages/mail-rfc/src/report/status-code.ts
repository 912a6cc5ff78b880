/**
 * Replies of an SMTP server: the reply code (RFC 5321 §4.2), the enhanced status behind it (RFC 2034, RFC 3463), and the pairs
 * we ourselves answer with. Text of a peer is handed on untouched here and must not leave the process: it can hold addresses.
 */
import { MailSyntaxError } from "../mail-syntax-error.ts";

export interface ReplyLine {
  code: number;
  /** Whether another line of the same reply follows. */
  hasMore: boolean;
  text: string;
}

export interface Reply {
  code: number;
  /** `class.subject.detail`; `null` when the reply has none, or one of another class than its code. */
  enhancedStatus: string | null;
  /** The text of every line, the enhanced status taken off. */
  lines: string[];
}

const LINE = /^([2-5][0-9]{2})(?:([ -])(.*))?$/s;
const ENHANCED = /^([245])\.(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})(?=$|[ \t])/;

/**
 * Reads one line without its CRLF, e.g. `250-SIZE 1000` → `{ code: 250, hasMore: true, text: "SIZE 1000" }`.
 * @throws MailSyntaxError `reply_syntax`
 */
export function parseReplyLine(line: string): ReplyLine {
  const [, code, mark, text = ""] = LINE.exec(line) ?? [];
  if (code === undefined) throw new MailSyntaxError("reply_syntax");
  return { code: Number(code), hasMore: mark === "-", text };
}

/**
 * Reads one whole reply of one or more lines.
 * @param text lines ended by CRLF or LF; the last end may be missing
 * @throws MailSyntaxError `reply_syntax` when it stops early, goes on after its end, or changes its code on the way
 */
export function parseReply(text: string): Reply {
  const lines = text
    .replace(/\r?\n$/, "")
    .split(/\r?\n/)
    .map(parseReplyLine);
  const code = lines[0]?.code ?? 0;
  const isWhole = lines.every((line, index) => line.code === code && line.hasMore === index < lines.length - 1);
  if (!isWhole) throw new MailSyntaxError("reply_syntax");
  const enhancedStatus = parseEnhancedStatus(lines.at(-1)?.text ?? "", code);
  const texts = lines.map((line) =>
    enhancedStatus === null ? line.text : line.text.replace(ENHANCED, "").trimStart(),
  );
  return { code, enhancedStatus, lines: texts };
}

/**
 * The enhanced status a text begins with.
 * @param code the reply's code: a status of another class is not believed (RFC 2034 §4)
 */
export function parseEnhancedStatus(text: string, code?: number): string | null {
  const [status, statusClass] = ENHANCED.exec(text) ?? [];
  if (status === undefined || (code !== undefined && Number(statusClass) !== Math.floor(code / 100))) return null;
  return status;
}

/** What a reply code means for a client (RFC 5321 §4.2.1). */
export function replyClass(code: number): "done" | "more" | "transient" | "permanent" {
  if (code < 300) return "done";
  if (code < 400) return "more";
  return code < 500 ? "transient" : "permanent";
}

/** Code and enhanced status of every answer that is ours; the words are chosen at the edge. */
export const answers = {
  ok: { code: 250, enhancedStatus: "2.0.0" },
  senderOk: { code: 250, enhancedStatus: "2.1.0" },
  recipientOk: { code: 250, enhancedStatus: "2.1.5" },
  closing: { code: 221, enhancedStatus: "2.0.0" },
  /** The service stops; try again (RFC 5321 §3.8). */
  shuttingDown: { code: 421, enhancedStatus: "4.3.2" },
  idleTooLong: { code: 421, enhancedStatus: "4.4.2" },
  tooManyConnections: { code: 421, enhancedStatus: "4.7.0" },
  /** Cannot keep the message safely now: database, disk, fsync. */
  cannotKeep: { code: 451, enhancedStatus: "4.3.0" },
  rateLimited: { code: 451, enhancedStatus: "4.7.1" },
  memoryBudget: { code: 452, enhancedStatus: "4.3.1" },
  spoolQuota: { code: 452, enhancedStatus: "4.2.2" },
  tooManyRecipients: { code: 452, enhancedStatus: "4.5.3" },
  unknownCommand: { code: 500, enhancedStatus: "5.5.2" },
  badSyntax: { code: 501, enhancedStatus: "5.5.4" },
  badSenderAddress: { code: 501, enhancedStatus: "5.1.7" },
  badRecipientAddress: { code: 501, enhancedStatus: "5.1.3" },
  badSequence: { code: 503, enhancedStatus: "5.5.1" },
  signInFirst: { code: 530, enhancedStatus: "5.7.0" },
  badCredentials: { code: 535, enhancedStatus: "5.7.8" },
  tlsFirst: { code: 538, enhancedStatus: "5.7.11" },
  unknownAlias: { code: 550, enhancedStatus: "5.1.1" },
  noRelaying: { code: 550, enhancedStatus: "5.7.1" },
  refusedByAll: { code: 550, enhancedStatus: "5.0.0" },
  tooLarge: { code: 552, enhancedStatus: "5.3.4" },
  headerTooLarge: { code: 552, enhancedStatus: "5.3.4" },
  notYourAlias: { code: 553, enhancedStatus: "5.7.1" },
  /** The address needs SMTPUTF8 and the client did not say so (RFC 6531 §3.5). */
  needsSmtpUtf8: { code: 553, enhancedStatus: "5.6.7" },
  mailLoop: { code: 554, enhancedStatus: "5.4.6" },
  unknownParameter: { code: 555, enhancedStatus: "5.5.4" },
} as const satisfies Record<string, { code: number; enhancedStatus: string }>;

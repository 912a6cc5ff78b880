/** Parses command lines (RFC 5321 §4.1.1) and the arguments of MAIL and RCPT. */

import { type EsmtpParams, type MailPath, MailSyntaxError, parseEsmtpParams, parsePathArgument } from "@kauke/mail-rfc";
import { reply, type SmtpReply } from "../reply.ts";

export interface SmtpCommand {
  verb: string;
  argument: string;
}

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

/** Group-ending commands (RFC 2920 §3.1), and the envelope without PIPELINING; clients that don't wait are scripts. */
export function mustAwaitReply(verb: string, isPipelining: boolean): boolean {
  return lastInGroup.has(verb) || (!isPipelining && envelope.has(verb));
}

export interface MailFrom {
  envelopeFrom: string;
  /** Declared size; 0 without one. */
  sizeBytes: number;
  eightBit: boolean;
  smtpUtf8: boolean;
}

export class MailArgumentError extends Error {
  readonly reply: SmtpReply;

  constructor(refusal: SmtpReply) {
    super(refusal.text);
    this.reply = refusal;
  }
}

const badArgument = reply(501, "5.5.4", "Syntax error in the argument");
const badParameter = reply(555, "5.5.4", "Unknown or invalid parameter");
const badSender = reply(501, "5.1.7", "Bad sender address syntax");
const badRecipient = reply(501, "5.1.3", "Bad recipient address syntax");
const needsSmtpUtf8 = reply(553, "5.6.7", "A non-ASCII address requires SMTPUTF8");

/** Parses e.g. `FROM:<ann@example.org> SIZE=1000 BODY=8BITMIME`. @throws MailArgumentError */
export function readMailFrom(argument: string): MailFrom {
  const { path, params } = readArgument(argument, "MAIL", badSender);
  if (path.domain === "" && path.local !== "") throw new MailArgumentError(badSender);
  if (params.body === "BINARYMIME") throw new MailArgumentError(badParameter);
  if (path.needsSmtpUtf8 && !params.smtpUtf8) throw new MailArgumentError(needsSmtpUtf8);
  return {
    envelopeFrom: path.local === "" ? "" : path.canonical,
    sizeBytes: params.size ?? 0,
    eightBit: params.body === "8BITMIME",
    smtpUtf8: params.smtpUtf8,
  };
}

/** Parses e.g. `TO:<shop.k7@kauke.test>`. @throws MailArgumentError */
export function readRcptTo(argument: string): MailPath {
  const { path } = readArgument(argument, "RCPT", badRecipient);
  if (path.local === "") throw new MailArgumentError(badRecipient);
  return path;
}

function readArgument(
  argument: string,
  command: "MAIL" | "RCPT",
  bad: SmtpReply,
): { path: MailPath; params: EsmtpParams } {
  const prefix = command === "MAIL" ? /^from: ?/i : /^to: ?/i;
  if (!prefix.test(argument)) throw new MailArgumentError(badArgument);
  try {
    const { path, parameters } = parsePathArgument(argument.replace(prefix, ""));
    const params = parseEsmtpParams(parameters, command);
    // DSN (RFC 3461) is not offered, so its parameters are unknown too.
    if (params.unknown.length > 0 || params.ret || params.envid || params.notify || params.orcpt) {
      throw new MailArgumentError(badParameter);
    }
    return { path, params };
  } catch (thrown) {
    if (!(thrown instanceof MailSyntaxError)) throw thrown;
    throw new MailArgumentError(thrown.reason.startsWith("parameter") ? badParameter : bad);
  }
}

const ok = reply(250, "2.0.0", "Ok");

export const replies = {
  ok,
  badSequence: reply(503, "5.5.1", "Bad sequence of commands"),
  syntaxError: reply(500, "5.5.2", "Command not recognised"),
  notOffered: reply(502, "5.5.1", "Command not offered here"),
  sentTooEarly: reply(554, "5.5.0", "You sent more before you had read our answer"),
  sentTooMuch: reply(421, "4.7.0", "You sent too much before you had read our answer"),
  tooManyRecipients: reply(452, "4.5.3", "Too many recipients"),
  bye: reply(221, "2.0.0", "Bye"),
};

export const fixedReplies: ReadonlyMap<string, SmtpReply> = new Map([
  ["NOOP", ok],
  ["VRFY", reply(252, "2.5.0", "Can't verify addresses, but will accept mail")],
  ["HELP", reply(214, "2.0.0", "See RFC 5321")],
]);

interface Offer {
  mailHost: string;
  maxMessageBytes: number;
  hasStartTls: boolean;
  hasAuth: boolean;
}

/** @returns our name, then the extensions offered (RFC 5321 §4.1.1.1) */
export function ehloLines({ mailHost, maxMessageBytes, hasStartTls, hasAuth }: Offer): string {
  const lines = [mailHost, "PIPELINING", `SIZE ${maxMessageBytes}`, "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES"];
  if (hasStartTls) lines.push("STARTTLS");
  if (hasAuth) lines.push("AUTH PLAIN LOGIN");
  return lines.map((text, index) => `250${index === lines.length - 1 ? " " : "-"}${text}\r\n`).join("");
}

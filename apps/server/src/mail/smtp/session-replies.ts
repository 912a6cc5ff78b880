import { reply, type SmtpReply } from "../reply.ts";

export const ok = reply(250, "2.0.0", "Ok");
export const badSequence = reply(503, "5.5.1", "Bad sequence of commands");
export const syntaxError = reply(500, "5.5.2", "Command not recognised");
export const notOffered = reply(502, "5.5.1", "Command not offered here");
export const sentTooEarly = reply(554, "5.5.0", "You sent more before you had read our answer");
export const sentTooMuch = reply(421, "4.7.0", "You sent too much before you had read our answer");
export const tooManyRecipients = reply(452, "4.5.3", "Too many recipients");
export const bye = reply(221, "2.0.0", "Bye");

export const fixed: ReadonlyMap<string, SmtpReply> = new Map([
  ["NOOP", ok],
  ["VRFY", reply(252, "2.5.0", "Can't verify addresses, but will accept mail")],
  ["HELP", reply(214, "2.0.0", "See RFC 5321")],
]);

export const closing = (mailHost: string): SmtpReply =>
  reply(421, "4.3.2", `${mailHost} is closing, please try again later`);

export interface Offer {
  mailHost: string;
  maxMessageBytes: number;
  hasStartTls: boolean;
  hasAuth: boolean;
}

/** @returns the lines of the reply to EHLO: our name, then the extensions offered (RFC 5321 §4.1.1.1) */
export function ehloLines({ mailHost, maxMessageBytes, hasStartTls, hasAuth }: Offer): string {
  const lines = [mailHost, "PIPELINING", `SIZE ${maxMessageBytes}`, "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES"];
  if (hasStartTls) lines.push("STARTTLS");
  if (hasAuth) lines.push("AUTH PLAIN LOGIN");
  return lines.map((text, index) => `250${index === lines.length - 1 ? " " : "-"}${text}\r\n`).join("");
}

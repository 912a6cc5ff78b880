/**
 * Formats a Received trace field (RFC 5321 §4.4). Text supplied by the client is filtered, so that it cannot inject a
 * control character, a line break or a comment. Folded at 78 columns wherever a line has more than one word.
 */
import { formatDate } from "./date.ts";
import { canStandInField, type FieldText, foldedField } from "./header-field.ts";

export interface ReceivedTrace {
  /** Argument of the client's EHLO or HELO. */
  helo: string;
  /** IP address of the client. */
  clientAddress: string;
  /** Confirmed reverse name of the client's IP address; `null` is written as "unknown". */
  clientName?: string | null;
  /** Our own host name. */
  by: string;
  /** Protocol keyword (RFC 3848, RFC 6531). */
  protocol: "SMTP" | "ESMTP" | "ESMTPS" | "ESMTPSA" | "ESMTPA" | "UTF8SMTP" | "UTF8SMTPS" | "UTF8SMTPSA" | "UTF8SMTPA";
  id: string;
  /** The alias, never a destination; set only if the message has one recipient. */
  forAlias?: string | null;
  at: Date;
}

const COLUMNS = 78;
const LONGEST_WORD = 300;
const DOMAIN_WORD = /^(?:[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?|\[[A-Za-z0-9:.]+\])$/;

/** @returns the whole Received field with its CRLF, continuation lines indented by a tab */
export function formatReceived(trace: ReceivedTrace): FieldText {
  const id = trace.id.replace(/[^A-Za-z0-9._-]/g, "").slice(0, LONGEST_WORD) || "unknown";
  const helo = domainWord(trace.helo);
  const host = `from ${helo} ${clientComment(trace, helo === trace.helo)} by ${domainWord(trace.by)}`;
  const text = `${host} with ${trace.protocol} id ${id}${forClause(trace.forAlias)}; ${formatDate(trace.at)}`;
  return foldedField("Received", text, { columns: COLUMNS, indent: "\t" });
}

/**
 * @returns a name or literal that may be written outside a comment; otherwise "unknown", and the comment shows the text
 */
function domainWord(text: string): string {
  return text.length <= 255 && DOMAIN_WORD.test(text) ? text : "unknown";
}

function clientComment(trace: ReceivedTrace, isHeloShown: boolean): string {
  const name = trace.clientName ? domainWord(trace.clientName) : "unknown";
  const address = trace.clientAddress.replace(/[^0-9A-Fa-f:.]/g, "").slice(0, 45) || "unknown";
  const helo = isHeloShown ? "" : ` helo=${commentText(trace.helo)}`;
  return `(${name} [${address.includes(":") ? `IPv6:${address}` : address}]${helo})`;
}

/** @returns printable ASCII with parentheses and backslashes escaped (RFC 5322 §3.2.2); other characters become "?" */
function commentText(text: string): string {
  return text
    .slice(0, 64)
    .replace(/[^!-~]/g, "?")
    .replace(/[()\\]/g, "\\$&");
}

function forClause(alias: string | null | undefined): string {
  return alias && canStandInField(alias) && /^[^\s<>()]{3,254}$/u.test(alias) ? ` for <${alias}>` : "";
}

/**
 * Our own delivery report (RFC 3464) about mail an alias could not pass on. Names the alias and nothing behind it: no destination,
 * no server, no word of any reply. What it returns of the original is five fields as the sender wrote them. Sent with the null
 * sender; whether it may be sent at all, and how often, is the caller's (DESIGN "Bounces").
 */
import { parseAddress } from "./address.ts";
import { fieldBytes, type HeaderSource } from "./address-header.ts";
import { formatDate } from "./date.ts";
import { type DeliveryReportWords, wordsForStatus } from "./dsn-words.ts";
import { findField } from "./headers.ts";
import { parseMessageId } from "./message-id.ts";

export interface DeliveryReport {
  /** Whom it goes to: the original envelope sender, canonical. */
  to: string;
  /** The alias that was written to, canonical. */
  aliasAddress: string;
  /** Our public mail name. */
  reportingMta: string;
  /** RFC 3463, e.g. `5.2.2`; what is none reads `5.0.0`. */
  enhancedStatus: string;
  arrivedAt: Date;
  at: Date;
  /** The report's own, with brackets. */
  messageId: string;
  /** At least 16 random bytes in base32, for the boundary. */
  boundary: string;
  /** The original's header block as it arrived, before any rewriting. */
  original: HeaderSource;
}

const returned = ["from", "to", "subject", "date", "message-id"];
/** Longer ones are left out: a report stays small whatever it reports about. */
const FIELD_BYTES_MAX = 4096;

/**
 * @returns the whole message in plain form (not dot-stuffed), CRLF lines, ASCII but for an internationalised `to`
 * @throws MailSyntaxError when an address or the identifier is none
 */
export function buildDeliveryReport(report: DeliveryReport): Buffer {
  const status = /^5\.\d{1,3}\.\d{1,3}$/.test(report.enhancedStatus) ? report.enhancedStatus : "5.0.0";
  const boundary = `=_${report.boundary.replace(/[^A-Za-z0-9]/g, "")}`;
  const parts = [textPart(report, wordsForStatus(status)), statusPart(report, status), headersPart(report.original)];
  const body = parts.map((part) => `--${boundary}\r\n${part}`).join("");
  return Buffer.from(`${writeHeader(report, boundary)}\r\n${body}--${boundary}--\r\n`, "utf8");
}

function writeHeader(report: DeliveryReport, boundary: string): string {
  const { left, right } = parseMessageId(report.messageId);
  const { domain } = parseAddress(report.aliasAddress);
  return lines([
    `From: Mail delivery <postmaster@${domain}>`,
    `To: ${parseAddress(report.to).canonical}`,
    "Subject: Your message could not be delivered",
    `Date: ${formatDate(report.at)}`,
    `Message-ID: <${left}@${right}>`,
    "Auto-Submitted: auto-replied",
    "MIME-Version: 1.0",
    "Content-Type: multipart/report; report-type=delivery-status;",
    `\tboundary="${boundary}"`,
  ]);
}

function textPart({ aliasAddress }: DeliveryReport, words: DeliveryReportWords): string {
  return lines([
    "Content-Type: text/plain; charset=us-ascii",
    "",
    "Your message could not be delivered to this address:",
    "",
    `    ${parseAddress(aliasAddress).canonical}`,
    "",
    words.reason,
    words.advice,
    "",
    "This report was written by a program. An answer to it is read by nobody.",
  ]);
}

/** RFC 3464 §2: fields about the message, a blank line, fields about the one recipient. */
function statusPart({ aliasAddress, reportingMta, arrivedAt, at }: DeliveryReport, status: string): string {
  return lines([
    "Content-Type: message/delivery-status",
    "",
    `Reporting-MTA: dns; ${reportingMta.replace(/[^A-Za-z0-9.:_[\]-]/g, "")}`,
    `Arrival-Date: ${formatDate(arrivedAt)}`,
    "",
    `Final-Recipient: rfc822; ${parseAddress(aliasAddress).canonical}`,
    "Action: failed",
    `Status: ${status}`,
    `Last-Attempt-Date: ${formatDate(at)}`,
    "",
  ]);
}

/** Base64 where the original isn't plain ASCII in lines that may be sent: its bytes stay as they were all the same. */
function headersPart({ header, fields }: HeaderSource): string {
  const kept = returned.flatMap((name) => {
    const field = findField(fields, name);
    return field === null || field.end - field.start > FIELD_BYTES_MAX ? [] : fieldBytes(header, field);
  });
  const bytes = Buffer.concat(kept);
  const text = bytes.toString("latin1");
  const isPlain = /^[\t\r\n -~]*$/.test(text) && text.split("\r\n").every((line) => line.length <= 998);
  const base64 = (bytes.toString("base64").match(/.{1,76}/g) ?? []).map((line) => `${line}\r\n`).join("");
  const encoding = isPlain ? "7bit" : "base64";
  return `${lines(["Content-Type: text/rfc822-headers", `Content-Transfer-Encoding: ${encoding}`, ""])}${isPlain ? `${text}\r\n` : base64}`;
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\r\n`).join("");
}

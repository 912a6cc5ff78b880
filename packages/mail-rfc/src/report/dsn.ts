/**
 * Builds our own delivery report (RFC 3464) about mail an alias could not forward. Names the alias and nothing behind
 * it: no destination, no server, no text of any reply. Quotes subject, date and Message-ID of the original and returns
 * five of its fields as the sender wrote them. The report is sent with the null sender; the caller decides whether and
 * how often one may be sent.
 */
import { parseAddress } from "../address/address.ts";
import { fieldBytes, type HeaderSource } from "../address/address-header.ts";
import { encodeText } from "../body/transfer-encoding.ts";
import { formatDate } from "../header/date.ts";
import { decodeEncodedWords, oneLine } from "../header/encoded-word.ts";
import { type FieldText, fieldTextBytes, headerField, headerFieldOfLines, joinFields } from "../header/header-field.ts";
import { fieldValue, findField } from "../header/headers.ts";
import { parseMessageId } from "../header/message-id.ts";
import { formatSpan } from "../retry-schedule.ts";
import { type DeliveryReportWords, wordsForStatus } from "./dsn-words.ts";

export interface DeliveryReport {
  /** Recipient of the report: the original envelope sender, canonical. */
  to: string;
  /** Alias the original was sent to, canonical. */
  aliasAddress: string;
  /** Public host name of this mail server. */
  reportingMta: string;
  /**
   * Enhanced status (RFC 3463), e.g. `5.2.2`. Class 4 is reported as class 5, since no further attempt follows; an
   * invalid status becomes `5.0.0`.
   */
  enhancedStatus: string;
  /**
   * Status that explains the reason better than `enhancedStatus`: that of the last attempt before the retry schedule
   * ended.
   */
  reasonStatus?: string;
  /** Seconds for which delivery was tried; absent when the first attempt was refused. */
  triedSeconds?: number;
  arrivedAt: Date;
  at: Date;
  /** Message-ID of the report, with brackets. */
  messageId: string;
  /** Random part of the boundary: at least 16 random bytes in base32. */
  boundary: string;
  /** Header block of the original as it arrived, before any rewriting. */
  original: HeaderSource;
}

const returned = ["from", "to", "subject", "date", "message-id"];
/** Maximum bytes of a returned field; longer fields are left out, so that reports stay small. */
const FIELD_BYTES_MAX = 4096;

/**
 * @returns the whole report as a message in plain form (not dot-stuffed), CRLF lines, ASCII except for an
 * internationalized `to`
 * @throws MailSyntaxError when an address or the identifier is invalid
 */
export function buildDeliveryReport(report: DeliveryReport): Buffer {
  const status = permanentStatus(report.enhancedStatus);
  const boundary = `=_${report.boundary.replace(/[^A-Za-z0-9]/g, "")}`;
  const parts = [
    textPart(report, wordsForStatus(permanentStatus(report.reasonStatus ?? status))),
    statusPart(report, status),
    headersPart(report.original),
  ];
  const body = parts.map((part) => `--${boundary}\r\n${part}`).join("");
  const header = fieldTextBytes(writeHeader(report, boundary));
  return Buffer.concat([header, Buffer.from(`\r\n${body}--${boundary}--\r\n`, "utf8")]);
}

function writeHeader(report: DeliveryReport, boundary: string): FieldText {
  const { left, right } = parseMessageId(report.messageId);
  const { domain } = parseAddress(report.aliasAddress);
  return joinFields([
    headerField("From", ["Mail delivery", `<postmaster@${domain}>`]),
    headerField("To", [parseAddress(report.to).canonical]),
    headerField("Subject", ["Your message could not be delivered"]),
    headerField("Date", [formatDate(report.at)]),
    headerField("Message-ID", [`<${left}@${right}>`]),
    headerField("Auto-Submitted", ["auto-replied"]),
    headerField("MIME-Version", ["1.0"]),
    headerFieldOfLines("Content-Type", ["multipart/report; report-type=delivery-status;", `boundary="${boundary}"`]),
  ]);
}

/** @returns the status in class 5, e.g. `5.4.7` for `4.4.7` */
function permanentStatus(status: string): string {
  return /^[45]\.\d{1,3}\.\d{1,3}$/.test(status) ? `5${status.slice(1)}` : "5.0.0";
}

function textPart({ aliasAddress, triedSeconds, original }: DeliveryReport, words: DeliveryReportWords): string {
  const about = describe(original);
  const { encoding, bytes } = encodeText(
    lines([
      "Your message could not be delivered to this address:",
      "",
      `    ${parseAddress(aliasAddress).canonical}`,
      "",
      ...(about.length === 0 ? [] : [...about, ""]),
      words.reason,
      ...(triedSeconds === undefined ? [] : [`Delivery was tried for ${formatSpan(triedSeconds)}.`]),
      words.advice,
      "",
      "This report was written by a program. An answer to it is read by nobody.",
    ]),
  );
  const type = headerField("Content-Type", ["text/plain; charset=utf-8"]);
  const transfer = headerField("Content-Transfer-Encoding", [encoding]);
  return `${type}${transfer}\r\n${bytes.toString("latin1")}`;
}

const described = [
  ["subject", "Subject"],
  ["date", "Sent"],
  ["message-id", "Message-ID"],
] as const;
/** Maximum characters of a value in the text part; the third part returns the whole field. */
const DESCRIBED_MAX = 200;

/** @returns lines by which the sender can recognize the original message */
function describe({ header, fields }: HeaderSource): string[] {
  return described.flatMap(([name, label]) => {
    const field = findField(fields, name);
    if (field === null || field.end - field.start > FIELD_BYTES_MAX) return [];
    const value = oneLine(decodeEncodedWords(fieldValue(header, field)));
    return value === "" ? [] : [`    ${label}: ${[...value].slice(0, DESCRIBED_MAX).join("")}`];
  });
}

/** Status part (RFC 3464 §2): fields about the message, a blank line, fields about the only recipient. */
function statusPart({ aliasAddress, reportingMta, arrivedAt, at }: DeliveryReport, status: string): string {
  const aboutMessage = [
    headerField("Reporting-MTA", [`dns; ${reportingMta.replace(/[^A-Za-z0-9.:_[\]-]/g, "")}`]),
    headerField("Arrival-Date", [formatDate(arrivedAt)]),
  ];
  const aboutRecipient = [
    headerField("Final-Recipient", [`rfc822; ${parseAddress(aliasAddress).canonical}`]),
    headerField("Action", ["failed"]),
    headerField("Status", [status]),
    headerField("Last-Attempt-Date", [formatDate(at)]),
  ];
  const type = headerField("Content-Type", ["message/delivery-status"]);
  return [type, joinFields(aboutMessage), joinFields(aboutRecipient), ""].join("\r\n");
}

/**
 * Encodes the returned header in base64 when it is not plain ASCII in lines of allowed length, so that its bytes stay
 * unchanged.
 */
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
  const type = headerField("Content-Type", ["text/rfc822-headers"]);
  const transfer = headerField("Content-Transfer-Encoding", [encoding]);
  return `${type}${transfer}\r\n${isPlain ? `${text}\r\n` : base64}`;
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\r\n`).join("");
}

/**
 * Builds our delivery report (RFC 3464) about mail an alias could not forward. Names the alias and nothing behind it:
 * no destination, no server, no text of a reply. Returns five fields of the original.
 */

import { parseAddress } from "../address/address.ts";
import { fieldBytes, type HeaderSource } from "../address/address-header.ts";
import { encodeText } from "../body/transfer-encoding.ts";
import { decodeEncodedWords, oneLine } from "../header/encoded-word.ts";
import { type FieldText, fieldTextBytes, headerField, headerFieldOfLines, joinFields } from "../header/header-field.ts";
import { fieldValue, findField } from "../header/headers.ts";
import { parseMessageId } from "../header/message-id.ts";
import { formatDate } from "../header/trace-fields.ts";
import { formatSpan } from "../retry-schedule.ts";

export interface DeliveryReport {
  to: string;
  aliasAddress: string;
  reportingMta: string;
  /** Enhanced status (RFC 3463): class 4 becomes 5, since no attempt follows; an invalid status `5.0.0`. */
  enhancedStatus: string;
  reasonStatus?: string;
  /** Seconds for which delivery was tried; absent when the first attempt was refused. */
  triedSeconds?: number;
  arrivedAt: Date;
  at: Date;
  messageId: string;
  /** Boundary of at least 16 random bytes in base32. */
  boundary: string;
  original: HeaderSource;
}

const returned = ["from", "to", "subject", "date", "message-id"];
/** Maximum bytes of a returned field; longer ones are left out, so that reports stay small. */
const FIELD_BYTES_MAX = 4096;

/** Plain form, ASCII except for an internationalized `to`. @throws MailSyntaxError for an invalid address */
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
/** Maximum characters of a described value; the third part returns the whole field. */
const DESCRIBED_MAX = 200;

function describe({ header, fields }: HeaderSource): string[] {
  return described.flatMap(([name, label]) => {
    const field = findField(fields, name);
    if (field === null || field.end - field.start > FIELD_BYTES_MAX) return [];
    const value = oneLine(decodeEncodedWords(fieldValue(header, field)));
    return value === "" ? [] : [`    ${label}: ${[...value].slice(0, DESCRIBED_MAX).join("")}`];
  });
}

/** The machine-readable part of a report (RFC 3464 §2). */
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

/** Part with the original's header, as base64 unless it is plain ASCII in short lines, so that its bytes stay. */
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

interface DeliveryReportWords {
  reason: string;
  advice: string;
}

const DEFAULT_WORDS: DeliveryReportWords = {
  reason: "It was refused for good.",
  advice: "Trying again will not help. Please reach the person another way.",
};

/** Sentences by status or a prefix of it; the first match counts. */
const table: readonly [status: string, words: DeliveryReportWords][] = [
  ["5.1.", { reason: "The address does not take mail at present.", advice: DEFAULT_WORDS.advice }],
  ["5.2.2", { reason: "There is no room for more mail.", advice: "Please try again in a few days." }],
  ["5.2.3", { reason: "The message is too large.", advice: "Please send it again without large attachments." }],
  ["5.3.4", { reason: "The message is too large.", advice: "Please send it again without large attachments." }],
  ["5.2.", { reason: "The address does not take mail at present.", advice: DEFAULT_WORDS.advice }],
  ["5.4.6", { reason: "The message was caught in a mail loop.", advice: DEFAULT_WORDS.advice }],
  ["5.4.", { reason: "It could not be delivered in the time allowed.", advice: "Please try again later." }],
  ["5.6.", { reason: "The form of the message was not accepted.", advice: "Please send it as plain text." }],
  [
    "5.7.",
    {
      reason: "It was refused by a rule about what may be sent.",
      advice: "Your mail provider can tell whether your domain proves its mail with SPF, DKIM and DMARC.",
    },
  ],
];

export function wordsForStatus(status: string): DeliveryReportWords {
  const row = table.find(([key]) => (key.endsWith(".") ? status.startsWith(key) : status === key));
  return row?.[1] ?? DEFAULT_WORDS;
}

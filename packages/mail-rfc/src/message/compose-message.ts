/**
 * Builds a message from typed text (RFC 5322, RFC 2045): text/plain in UTF-8. Names no program, host or time zone.
 * Typed text can't add a field or end the header.
 */
import { parseAddress } from "../address/address.ts";
import { formatAddressField } from "../address/format-address.ts";
import { encodeText } from "../body/transfer-encoding.ts";
import { type FieldText, fieldTextBytes, formatTextField, headerField } from "../header/header-field.ts";
import { parseMessageId } from "../header/message-id.ts";
import { formatDate } from "../header/trace-fields.ts";

const CRLF = Buffer.from("\r\n");

export interface ComposedMessage {
  from: string;
  fromName?: string | null;
  to: readonly string[];
  /** Hidden recipients are in no field: they exist in envelopes only. */
  cc?: readonly string[];
  subject: string;
  text: string;
  at: Date;
  /** Message-ID, the same for every attempt. */
  messageId: string;
}

/** Plain form, CRLF lines. @throws MailSyntaxError for an address or identifier that can't be written */
export function composeMessage(message: ComposedMessage): Buffer {
  const { encoding, bytes } = encodeText(message.text);
  const header = [
    ...commonFields(message),
    headerField("Content-Type", ["text/plain; charset=utf-8"]),
    headerField("Content-Transfer-Encoding", [encoding]),
  ];
  return Buffer.concat([fieldTextBytes(...header), CRLF, bytes]);
}

/** A message with files, each part of which ends with a line break, as the delimiter needs it: its start, to be followed for each file by a separator, its part, and `end`. */
export interface MultipartFrame {
  /** Header and text. */
  start: Buffer;
  separator: Buffer;
  end: Buffer;
}

/** @param boundary characters that no part can contain, e.g. `=_` and random letters: neither encoding yields them */
export function multipartFrame(message: ComposedMessage, boundary: string): MultipartFrame {
  const { encoding, bytes } = encodeText(message.text);
  const header = [
    ...commonFields(message),
    headerField("Content-Type", ["multipart/mixed;", `boundary="${boundary}"`]),
  ];
  const textHeader = [
    headerField("Content-Type", ["text/plain; charset=utf-8"]),
    headerField("Content-Transfer-Encoding", [encoding]),
  ];
  const first = Buffer.from(`--${boundary}\r\n`);
  return {
    start: Buffer.concat([fieldTextBytes(...header), CRLF, first, fieldTextBytes(...textHeader), CRLF, bytes]),
    separator: Buffer.from(`--${boundary}\r\n`),
    end: Buffer.from(`--${boundary}--\r\n`),
  };
}

/** Files alone, without sender and recipients, e.g. to search them. */
export function filesFrame(boundary: string): MultipartFrame {
  const type = headerField("Content-Type", ["multipart/mixed;", `boundary="${boundary}"`]);
  return {
    start: Buffer.concat([fieldTextBytes(headerField("MIME-Version", ["1.0"]), type), CRLF]),
    separator: Buffer.from(`--${boundary}\r\n`),
    end: Buffer.from(`--${boundary}--\r\n`),
  };
}

function commonFields(message: ComposedMessage): FieldText[] {
  const { left, right } = parseMessageId(message.messageId);
  return [
    headerField("Date", [formatDate(message.at)]),
    formatAddressField("From", [{ name: message.fromName ?? null, address: message.from }]),
    headerField("To", addressList(message.to)),
    ...(message.cc === undefined || message.cc.length === 0 ? [] : [headerField("Cc", addressList(message.cc))]),
    formatTextField("Subject", message.subject),
    headerField("Message-ID", [`<${left}@${right}>`]),
    headerField("MIME-Version", ["1.0"]),
  ];
}

const addressList = (addresses: readonly string[]): string[] =>
  addresses.map((address, at) => `${parseAddress(address).canonical}${at < addresses.length - 1 ? "," : ""}`);

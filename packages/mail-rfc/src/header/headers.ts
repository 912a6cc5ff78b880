/**
 * Parses the header block of a message (RFC 5322 §2.2) as offsets, without JavaScript per byte, in wire or plain form.
 * Only CRLF ends a line. The block ends at a blank line, at the first line that is no field, or with the bytes; without
 * a blank line (`isSeparated` false) one must be added below new fields, or the body would be read as header.
 */
import { MailSyntaxError } from "../mail-syntax-error.ts";
import { decodeCharset } from "./encoded-word.ts";

export interface HeaderField {
  name: string;
  start: number;
  end: number;
}

export interface HeaderBlock {
  fields: HeaderField[];
  /** Offset of the blank line, or of the first byte of the body. */
  end: number;
  /** Whether a blank line begins at the end of the fields. */
  isSeparated: boolean;
}

export interface HeaderLimits {
  bytesMax: number;
  fieldsMax: number;
  fieldBytesMax: number;
  fieldLinesMax: number;
}

/**
 * Limits of a received header. Exchange accepts 256 KiB; Gmail 500 kB, 5,000 fields, 32 kB per field; Postfix reads
 * 102,400 bytes of a field. A thousand recipients with names take 60 kB.
 */
export const headerLimits: HeaderLimits = {
  bytesMax: 256 * 1024,
  fieldsMax: 1000,
  fieldBytesMax: 102_400,
  fieldLinesMax: 2000,
};

/** Limits for messages accepted earlier, perhaps under older limits and with fields of ours on top. */
const readLimits: HeaderLimits = {
  bytesMax: 528 * 1024,
  fieldsMax: 5100,
  fieldBytesMax: Number.POSITIVE_INFINITY,
  fieldLinesMax: Number.POSITIVE_INFINITY,
};

const BLANK_LINE = Buffer.from("\r\n\r\n");
const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const NAME_MAX = 998;
// White space before the colon is obsolete but still occurs (RFC 5322 §3.6.8, §4.5).
const NAME = /[!-9;-~]+[ \t]*:/y;
const PLAIN_FIELD = /^[\t -~]*\r\n$/;

/**
 * @param limits `headerLimits` for a message that has not been checked yet
 * @throws MailSyntaxError `header_too_large`, `header_too_many_fields`, `header_field_too_large`
 */
export function readHeader(bytes: Buffer, limits: HeaderLimits = readLimits): HeaderBlock {
  const head = headText(bytes, limits.bytesMax);
  const fields: HeaderField[] = [];
  let at = 0;
  let lines = 0;
  let last: HeaderField | undefined;
  while (at < head.length && !head.startsWith("\r\n", at)) {
    const lineEnd = findLineEnd(head, at, bytes.length);
    lines += 1;
    if (last && isWhiteSpace(head.charCodeAt(at))) last.end = lineEnd;
    else {
      const name = readName(head, at);
      if (name === null) break;
      last = { name, start: at, end: lineEnd };
      lines = 1;
      fields.push(last);
      if (fields.length > limits.fieldsMax) throw new MailSyntaxError("header_too_many_fields");
    }
    if (lineEnd - last.start > limits.fieldBytesMax || lines > limits.fieldLinesMax) {
      throw new MailSyntaxError("header_field_too_large");
    }
    at = lineEnd;
  }
  if (at === head.length && at < bytes.length && !isBlankLine(bytes, at)) throw new MailSyntaxError("header_too_large");
  return { fields, end: at, isSeparated: isBlankLine(bytes, at) };
}

export function findHeaderEnd(bytes: Buffer): number {
  return readHeader(bytes).end;
}

/** @throws MailSyntaxError as `readHeader` does */
export function readHeaderFields(bytes: Buffer, end: number, limits: HeaderLimits = readLimits): HeaderField[] {
  return readHeader(bytes.subarray(0, end), limits).fields;
}

export function countFields(fields: readonly HeaderField[], name: string): number {
  let count = 0;
  for (const field of fields) if (field.name === name) count += 1;
  return count;
}

/** @param name field name in lower case */
export function findField(fields: readonly HeaderField[], name: string): HeaderField | null {
  return fields.find((field) => field.name === name) ?? null;
}

/**
 * Value of a field as one trimmed line: UTF-8 if valid, else the declared charset, else Latin-1. Encoded words stay.
 * Bare CR, bare LF and NUL become spaces, so that the value can't begin a line anywhere.
 */
export function fieldValue(bytes: Buffer, field: HeaderField, declared: string | null = null): string {
  const latin1 = bytes.toString("latin1", field.start, field.end);
  const colon = latin1.indexOf(":");
  const raw = latin1.slice(colon + 1);
  if (PLAIN_FIELD.test(raw)) return raw.trim();
  const octets = bytes.subarray(field.start + colon + 1, field.end);
  const utf8 = octets.toString("utf8");
  const decoded = () => (declared === null ? null : decodeCharset(octets, declared)) ?? raw;
  return (utf8.includes("\u{fffd}") ? decoded() : utf8)
    .replace(/\r\n(?=[ \t])/g, "")
    .replace(/[\r\n\0]/g, " ")
    .trim();
}

export function firstValue(bytes: Buffer, fields: readonly HeaderField[], name: string): string | null {
  const field = findField(fields, name);
  return field ? fieldValue(bytes, field) : null;
}

function headText(bytes: Buffer, bytesMax: number): string {
  const blank = bytes.subarray(0, bytesMax).indexOf(BLANK_LINE);
  return bytes.toString("latin1", 0, blank < 0 ? bytesMax : blank + BLANK_LINE.length);
}

function findLineEnd(head: string, start: number, wholeLength: number): number {
  const lineFeed = head.indexOf("\n", start);
  // A bare LF is rare, and one character is found faster than CRLF.
  if (lineFeed > start && head.charCodeAt(lineFeed - 1) === CR) return lineFeed + 1;
  const at = head.indexOf("\r\n", start);
  if (at >= 0) return at + 2;
  if (head.length < wholeLength) throw new MailSyntaxError("header_too_large");
  return head.length;
}

function readName(head: string, start: number): string | null {
  NAME.lastIndex = start;
  const colon = NAME.test(head) ? NAME.lastIndex - 1 : -1;
  return colon < 0 || colon - start > NAME_MAX ? null : head.slice(start, colon).trimEnd().toLowerCase();
}

function isBlankLine(bytes: Buffer, at: number): boolean {
  return bytes[at] === CR && bytes[at + 1] === LF;
}

function isWhiteSpace(character: number): boolean {
  return character === SPACE || character === TAB;
}

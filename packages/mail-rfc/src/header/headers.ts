/**
 * Parses the header block of a message (RFC 5322 §2.2) in place: yields offsets into the received bytes, copies
 * nothing, and runs no JavaScript per byte. Only CRLF ends a line; a bare LF is part of its field. Works on wire form
 * (dot-stuffed) and plain form.
 *
 * The block ends at the first blank line, at the first line that is not a field, or at the end of the bytes. If it ends
 * without a blank line (`isSeparated` false), code that puts fields on top must add one; otherwise the body would be
 * read as header.
 */
import { MailSyntaxError } from "../mail-syntax-error.ts";

export interface HeaderField {
  /** Field name in lower case. */
  name: string;
  /** Offset of the name's first byte. */
  start: number;
  /** Offset just after the CRLF of the field's last line. */
  end: number;
}

export interface HeaderBlock {
  fields: HeaderField[];
  /** Offset after the last field: that of the blank line if there is one, otherwise of the first byte of the body. */
  end: number;
  /** Whether a blank line (CRLF) begins at `end`. */
  isSeparated: boolean;
}

export interface HeaderLimits {
  bytesMax: number;
  fieldsMax: number;
  /** Maximum bytes of one field, its name and all its lines. */
  fieldBytesMax: number;
  /** Maximum lines of one field, including folded ones. */
  fieldLinesMax: number;
}

/**
 * Limits for messages that arrive, are submitted or are composed. Real mail is far below: Exchange accepts 256 KiB;
 * Gmail 500 kB, 5,000 fields, and 32 kB per field except To, Cc and References; Postfix reads 102,400 bytes of a field.
 * A thousand recipients with names, one per line, take about 60 kB.
 */
export const headerLimits: HeaderLimits = {
  bytesMax: 256 * 1024,
  fieldsMax: 1000,
  fieldBytesMax: 102_400,
  fieldLinesMax: 2000,
};

/**
 * Limits for messages that the server accepted earlier: possibly under older limits, and with fields of ours on top.
 */
const readLimits: HeaderLimits = {
  bytesMax: 528 * 1024,
  fieldsMax: 5100,
  fieldBytesMax: Number.POSITIVE_INFINITY,
  fieldLinesMax: Number.POSITIVE_INFINITY,
};

const CRLF = Buffer.from("\r\n");
const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const COLON = 0x3a;
// Matches a field name (ftext, RFC 5322 §3.6.8). White space before the colon is obsolete syntax that still occurs
// (§4.5).
const NAME = /^([!-9;-~]+)[ \t]*$/;

/**
 * Parses the whole header block in one pass.
 * @param limits `headerLimits` for a message that has not been checked yet
 * @throws MailSyntaxError `header_too_large`, `header_too_many_fields`, `header_field_too_large`
 */
export function readHeader(bytes: Buffer, limits: HeaderLimits = readLimits): HeaderBlock {
  const head = bytes.length > limits.bytesMax ? bytes.subarray(0, limits.bytesMax) : bytes;
  const fields: HeaderField[] = [];
  let at = 0;
  let lines = 0;
  let last: HeaderField | undefined;
  while (at < head.length && !isBlankLine(head, at)) {
    const lineEnd = findLineEnd(head, at, bytes.length);
    lines += 1;
    if (last && isWhiteSpace(head[at])) last.end = lineEnd;
    else {
      const name = readName(head, at, lineEnd);
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

/**
 * @returns the offset at which the header block ends; see `HeaderBlock.end` @throws MailSyntaxError as `readHeader`
 * does
 */
export function findHeaderEnd(bytes: Buffer): number {
  return readHeader(bytes).end;
}

/** @returns the fields before `end`, in order @throws MailSyntaxError as `readHeader` does */
export function readHeaderFields(bytes: Buffer, end: number, limits: HeaderLimits = readLimits): HeaderField[] {
  return readHeader(bytes.subarray(0, end), limits).fields;
}

/** @returns how many fields have this name @param name field name in lower case */
export function countFields(fields: readonly HeaderField[], name: string): number {
  let count = 0;
  for (const field of fields) if (field.name === name) count += 1;
  return count;
}

/** @returns the first field with that name; `null` when there is none @param name field name in lower case */
export function findField(fields: readonly HeaderField[], name: string): HeaderField | null {
  return fields.find((field) => field.name === name) ?? null;
}

/**
 * Reads a field's value as one line, trimmed: UTF-8 if the bytes are valid UTF-8, otherwise Latin-1. Encoded words stay
 * encoded. Line breaks that are not folds (bare CR, bare LF) and NUL become a space, so that the value cannot begin a
 * line anywhere.
 */
export function fieldValue(bytes: Buffer, field: HeaderField): string {
  const raw = bytes.subarray(bytes.indexOf(COLON, field.start) + 1, field.end);
  const utf8 = raw.toString("utf8");
  const text = utf8.includes("\u{fffd}") ? raw.toString("latin1") : utf8;
  return text
    .replace(/\r\n(?=[ \t])/g, "")
    .replace(/[\r\n\0]/g, " ")
    .trim();
}

/**
 * @returns the value of the first field with that name; `null` when there is none @param name field name in lower case
 */
export function firstValue(bytes: Buffer, fields: readonly HeaderField[], name: string): string | null {
  const field = findField(fields, name);
  return field ? fieldValue(bytes, field) : null;
}

function findLineEnd(head: Buffer, start: number, wholeLength: number): number {
  const at = head.indexOf(CRLF, start);
  if (at >= 0) return at + 2;
  if (head.length < wholeLength) throw new MailSyntaxError("header_too_large");
  return head.length;
}

function readName(head: Buffer, start: number, lineEnd: number): string | null {
  const colon = head.indexOf(COLON, start);
  if (colon < 0 || colon >= lineEnd || colon - start > 998) return null;
  return NAME.exec(head.toString("latin1", start, colon))?.[1]?.toLowerCase() ?? null;
}

function isBlankLine(bytes: Buffer, at: number): boolean {
  return bytes[at] === CR && bytes[at + 1] === LF;
}

function isWhiteSpace(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB;
}

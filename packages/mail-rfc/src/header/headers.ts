/**
 * Parses the header block of a message (RFC 5322 §2.2): yields offsets into the received bytes, and runs no JavaScript
 * per byte. Only CRLF ends a line; a bare LF is part of its field. Works on wire form (dot-stuffed) and plain form.
 *
 * The block ends at the first blank line, at the first line that is not a field, or at the end of the bytes. If it ends
 * without a blank line (`isSeparated` false), code that puts fields on top must add one; otherwise the body would be
 * read as header.
 */
import { MailSyntaxError } from "../mail-syntax-error.ts";
import { decodeCharset } from "./declared-charset.ts";

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

const BLANK_LINE = Buffer.from("\r\n\r\n");
const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
/** Maximum octets of a field name with the white space after it. */
const NAME_MAX = 998;
// Matches a field name (ftext, RFC 5322 §3.6.8) and its colon. White space before the colon is obsolete syntax that
// still occurs (§4.5).
const NAME = /[!-9;-~]+[ \t]*:/y;
/** Matches a field in printable ASCII without folds. */
const PLAIN_FIELD = /^[\t -~]*\r\n$/;

/**
 * Parses the whole header block in one pass.
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
 * Reads a field's value as one line, trimmed: UTF-8 if the bytes are valid UTF-8, otherwise the declared charset, and
 * without one Latin-1. Encoded words stay encoded. Line breaks that are not folds (bare CR, bare LF) and NUL become a space, so that the value cannot begin a
 * line anywhere.
 * @param declared charset that the message declares, if octets in it are wanted
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

/**
 * @returns the value of the first field with that name; `null` when there is none @param name field name in lower case
 */
export function firstValue(bytes: Buffer, fields: readonly HeaderField[], name: string): string | null {
  const field = findField(fields, name);
  return field ? fieldValue(bytes, field) : null;
}

/** Returns the bytes up to the first blank line, at most `bytesMax`, one character per byte. */
function headText(bytes: Buffer, bytesMax: number): string {
  const blank = bytes.subarray(0, bytesMax).indexOf(BLANK_LINE);
  return bytes.toString("latin1", 0, blank < 0 ? bytesMax : blank + BLANK_LINE.length);
}

function findLineEnd(head: string, start: number, wholeLength: number): number {
  const lineFeed = head.indexOf("\n", start);
  // Finding a single character is much faster than CRLF, and a bare LF is rare.
  if (lineFeed > start && head.charCodeAt(lineFeed - 1) === CR) return lineFeed + 1;
  const at = head.indexOf("\r\n", start);
  if (at >= 0) return at + 2;
  if (head.length < wholeLength) throw new MailSyntaxError("header_too_large");
  return head.length;
}

/** @returns the name of the field that begins at `start`, in lower case; `null` when no field begins there */
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

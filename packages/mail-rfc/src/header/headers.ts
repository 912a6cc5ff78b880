/**
 * The header block of a message (RFC 5322 §2.2), read where it lies: offsets into the received bytes, nothing copied, no
 * JavaScript per byte. Only CRLF ends a line; a bare LF stays inside its field. Works on wire (dot-stuffed) and on plain bytes.
 *
 * The block ends at the first blank line, at the first line that is no field, or at the end of the bytes. Where it ends
 * without a blank line (`isSeparated` false), whoever writes fields on top must add one, or the body is read as header.
 */
import { MailSyntaxError } from "../mail-syntax-error.ts";

export interface HeaderField {
  /** Lower case. */
  name: string;
  /** Offset of the name's first byte. */
  start: number;
  /** Offset just after the CRLF of the last line. */
  end: number;
}

export interface HeaderBlock {
  fields: HeaderField[];
  /** Just after the last field: the blank line when there is one, else the first byte of the body. */
  end: number;
  /** Whether a blank line (CRLF) lies at `end`. */
  isSeparated: boolean;
}

export interface HeaderLimits {
  bytesMax: number;
  fieldsMax: number;
  /** Of one field, its name and all its lines. */
  fieldBytesMax: number;
  /** Of one field: the line with its name and those folded behind it. */
  fieldLinesMax: number;
}

/**
 * What a message that arrives, is submitted or composed may have. Real mail stays far below: Exchange takes 256 KiB, Gmail 500 kB,
 * 5,000 fields and 32 kB a field other than To, Cc and References, Postfix reads 102,400 bytes of a field. A thousand recipients
 * with names and a line each have some 60 kB.
 */
export const headerLimits: HeaderLimits = {
  bytesMax: 256 * 1024,
  fieldsMax: 1000,
  fieldBytesMax: 102_400,
  fieldLinesMax: 2000,
};

/** What is read of a message once taken: one that was taken under older limits, or has got fields of ours on top. */
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
// ftext of RFC 5322 §3.6.8; white space before the colon is obsolete syntax still seen (§4.5).
const NAME = /^([!-9;-~]+)[ \t]*$/;

/**
 * Reads the whole header block in one pass.
 * @param limits `headerLimits` for what nobody has looked at yet
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

/** The offset where the header block ends; see `HeaderBlock.end`. @throws MailSyntaxError as `readHeader` */
export function findHeaderEnd(bytes: Buffer): number {
  return readHeader(bytes).end;
}

/** The fields before `end`, in order. @throws MailSyntaxError as `readHeader` */
export function readHeaderFields(bytes: Buffer, end: number, limits: HeaderLimits = readLimits): HeaderField[] {
  return readHeader(bytes.subarray(0, end), limits).fields;
}

/** @param name lower case */
export function countFields(fields: readonly HeaderField[], name: string): number {
  let count = 0;
  for (const field of fields) if (field.name === name) count += 1;
  return count;
}

/** The first field of that name. @param name lower case */
export function findField(fields: readonly HeaderField[], name: string): HeaderField | null {
  return fields.find((field) => field.name === name) ?? null;
}

/**
 * A field's value on one line, white space around it removed: UTF-8 where the bytes are UTF-8, else Latin-1. Encoded words stay encoded.
 * Breaks that are no folding (bare CR, bare LF) and NUL read as a space, so a value can't start a line anywhere.
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

/** The value of the first field of that name, `null` when there is none. @param name lower case */
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

/**
 * Decodes the body of a text part so that ASCII in it can be replaced. Everything else stays byte for byte, in base64
 * as decoded bytes. A part whose encoding, charset or form programs could read differently is not edited.
 */

import { isAscii, isUtf8 } from "node:buffer";
import { type Span, toBase64Lines } from "@kauke/mail-rfc";
import { QuotedText } from "./quoted-text.ts";

export interface EditableSource {
  /** Body of the part in plain form (not dot-stuffed). */
  body: Buffer;
  /** Content-Transfer-Encoding, lower case; empty when there is none. */
  encoding: string;
  /** Declared charset in lower case; empty when there is none. */
  charset: string;
}

export interface EditableText {
  text: string;
  /**
   * Replaces ranges of the text by a word.
   * @param spans ranges in order, without overlap
   * @param word ASCII
   * @returns the body in its transfer encoding; `null` when a line would exceed the maximum line length
   */
  replace(spans: readonly Span[], word: string): Buffer | null;
}

const identities: ReadonlySet<string> = new Set(["", "7bit", "8bit", "binary"]);
/** Charsets compatible with Latin-1 in all characters of the words searched for, and with one byte per character. */
const singleByte: ReadonlySet<string> = new Set([
  "iso-8859-1",
  "iso8859-1",
  "iso_8859-1",
  "latin1",
  "l1",
  "iso-8859-15",
  "windows-1252",
  "cp1252",
  "x-cp1252",
]);
const utf8: ReadonlySet<string> = new Set(["", "utf-8", "utf8", "us-ascii", "ascii"]);
/** Maximum line length without CRLF (RFC 5321 §4.5.3.1.6). */
const LINE_MAX = 998;
const NOT_BASE64 = /[^A-Za-z0-9+/\r\n]/;
const PADDING = /^={1,2}\s{0,80}$/;
/** Matches bytes of UTF-16 and escape sequences of ISO 2022. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression looks for control characters
const OTHER_CODE = /[\0\x1b]/;

/**
 * Decodes the body of a text part.
 * @returns `null` for an unknown encoding or charset, or for a body that is invalid in it
 */
export function readEditableText({ body, encoding, charset }: EditableSource): EditableText | null {
  if (identities.has(encoding)) return inCharset(body, charset, (bytes) => (hasLongerLine(bytes, body) ? null : bytes));
  if (encoding === "base64") return readBase64(body, charset);
  return encoding === "quoted-printable" ? readQuoted(body, charset) : null;
}

function readBase64(body: Buffer, charset: string): EditableText | null {
  const encoded = body.toString("latin1");
  const end = encoded.search(NOT_BASE64);
  if (end >= 0 && !PADDING.test(encoded.slice(end, end + 100))) return null;
  const isEnded = encoded.endsWith("\r\n");
  return inCharset(Buffer.from(encoded, "base64"), charset, (bytes) =>
    isEnded ? toBase64Lines(bytes) : toBase64Lines(bytes).subarray(0, -2),
  );
}

function readQuoted(body: Buffer, charset: string): EditableText | null {
  const quoted = new QuotedText(body.toString("latin1"));
  const decoded = inCharset(Buffer.from(quoted.decoded, "latin1"), charset, (bytes) => bytes);
  if (decoded === null) return null;
  const isOneByteEach = singleByte.has(charset) || isAscii(Buffer.from(decoded.text));
  return {
    text: decoded.text,
    replace(spans, word) {
      const inBytes = isOneByteEach ? spans : byteSpans(decoded.text, spans);
      return Buffer.from(quoted.replace(inBytes, word), "latin1");
    },
  };
}

/**
 * Decodes bytes in the declared charset.
 * @param write encodes the changed bytes as a body
 * @returns `null` for an unknown charset or bytes invalid in it
 */
function inCharset(bytes: Buffer, charset: string, write: (bytes: Buffer) => Buffer | null): EditableText | null {
  const form = singleByte.has(charset) ? "latin1" : utf8.has(charset) && isUtf8(bytes) ? "utf8" : null;
  const text = form === null ? "" : bytes.toString(form);
  if (form === null || OTHER_CODE.test(text)) return null;
  return { text, replace: (spans, word) => write(Buffer.from(replaceSpans(text, spans, word), form)) };
}

function replaceSpans(text: string, spans: readonly Span[], word: string): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end } of spans) {
    pieces.push(text.slice(at, start), word);
    at = end;
  }
  return pieces.join("") + text.slice(at);
}

/** Converts spans of the text to offsets of its UTF-8 bytes. */
function byteSpans(text: string, spans: readonly Span[]): Span[] {
  let [at, bytes] = [0, 0];
  const offset = (next: number) => {
    bytes += Buffer.byteLength(text.slice(at, next));
    at = next;
    return bytes;
  };
  return spans.map(({ start, end }) => ({ start: offset(start), end: offset(end) }));
}

/** Whether a body has a line beyond the length limit that is also longer than every line had before the replacement. */
function hasLongerLine(bytes: Buffer, before: Buffer): boolean {
  return longestLine(bytes) > Math.max(LINE_MAX, longestLine(before));
}

function longestLine(bytes: Buffer): number {
  let longest = 0;
  for (let start = 0; start <= bytes.length; ) {
    const at = bytes.indexOf("\r\n", start);
    const end = at < 0 ? bytes.length : at;
    longest = Math.max(longest, end - start);
    start = end + 2;
  }
  return longest;
}

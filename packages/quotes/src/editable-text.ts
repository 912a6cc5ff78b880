/** Replaces ASCII in a text part, byte for byte; what programs could read differently is not edited. */

import { isAscii, isUtf8 } from "node:buffer";
import { type Span, toBase64Lines } from "@kauke/mail-rfc";

interface EditableSource {
  body: Buffer;
  encoding: string;
  charset: string;
}

interface EditableText {
  text: string;
  /** Replaces spans, in order and without overlap; `null` when a line would become too long. */
  replace(spans: readonly Span[], word: string): Buffer | null;
}

const identities: ReadonlySet<string> = new Set(["", "7bit", "8bit", "binary"]);
/** Charsets of one byte per character that agree with Latin-1 in all characters searched for. */
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
/** Maximum bytes of a line without CRLF (RFC 5321 §4.5.3.1.6). */
const LINE_MAX = 998;
const NOT_BASE64 = /[^A-Za-z0-9+/\r\n]/;
const PADDING = /^={1,2}\s{0,80}$/;
/** Bytes of UTF-16 and escape sequences of ISO 2022. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression looks for control characters
const OTHER_CODE = /[\0\x1b]/;

/** Reads a text part; `null` for an unknown encoding or charset, or a body that is invalid in it. */
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

/** @param write encodes the changed bytes as a body */
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

function byteSpans(text: string, spans: readonly Span[]): Span[] {
  let [at, bytes] = [0, 0];
  const offset = (next: number) => {
    bytes += Buffer.byteLength(text.slice(at, next));
    at = next;
    return bytes;
  };
  return spans.map(({ start, end }) => ({ start: offset(start), end: offset(end) }));
}

/** Whether a line is too long, and longer than every line before the replacement. */
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

/** Runs of encoded characters, limited: V8 overflows its stack on megabytes. */
const ENCODED = /(?:=[0-9a-f]{2}){1,60000}|=[ \t]{0,76}\r?\n/gi;
const COLUMNS = 76;

/** A stretch of text in which `width` encoded characters stand for each decoded one; three in a run of `=XX`. */
interface Stretch {
  decoded: number;
  encoded: number;
  width: 1 | 3;
}

class QuotedText {
  readonly decoded: string;
  readonly #encoded: string;
  readonly #stretches: Stretch[] = [{ decoded: 0, encoded: 0, width: 1 }];

  /** @param encoded Latin-1; invalid escapes stay literal */
  constructor(encoded: string) {
    const pieces: string[] = [];
    let [at, length] = [0, 0];
    for (const { 0: run, index } of encoded.matchAll(ENCODED)) {
      const plain = encoded.slice(at, index);
      const octets = run.endsWith("\n") ? "" : Buffer.from(run.replaceAll("=", ""), "hex").toString("latin1");
      pieces.push(plain, octets);
      length += plain.length;
      if (octets !== "") this.#stretches.push({ decoded: length, encoded: index, width: 3 });
      length += octets.length;
      at = index + run.length;
      this.#stretches.push({ decoded: length, encoded: at, width: 1 });
    }
    pieces.push(encoded.slice(at));
    this.#encoded = encoded;
    this.decoded = pieces.join("");
  }

  replace(spans: readonly Span[], word: string): string {
    const pieces: string[] = [];
    const quoted = word.replaceAll("=", "=3D");
    let [stretch, at, column, lineEnd] = [0, 0, 0, 0];
    const push = (piece: string) => {
      const lineStart = piece.lastIndexOf("\n");
      column = lineStart < 0 ? column + piece.length : piece.length - lineStart - 1;
      pieces.push(piece);
    };
    /** Offset in the encoded text; skips a soft line break at the offset unless `isEnd`. */
    const toEncoded = (offset: number, isEnd: boolean) => {
      const isBehind = (next: Stretch | undefined) =>
        next !== undefined && (isEnd ? next.decoded < offset : next.decoded <= offset);
      while (isBehind(this.#stretches[stretch + 1])) stretch += 1;
      const { decoded, encoded, width } = this.#stretches[stretch] as Stretch;
      return encoded + (offset - decoded) * width;
    };
    for (const { start, end } of spans) {
      const from = toEncoded(start, false);
      const to = toEncoded(end, true);
      push(this.#encoded.slice(at, from));
      if (lineEnd < to || lineEnd === 0) lineEnd = indexOfEnd(this.#encoded, to);
      push(column + quoted.length + lineEnd - to <= COLUMNS ? quoted : betweenSoftBreaks(quoted));
      at = to;
    }
    return pieces.join("") + this.#encoded.slice(at);
  }
}

function indexOfEnd(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at < 0 ? text.length : at;
}

/** Puts soft line breaks around a word to keep the surrounding lines short. */
function betweenSoftBreaks(word: string): string {
  const chunks = word.match(/.{1,72}/g) ?? [];
  return `=\r\n${chunks.join("=\r\n")}=\r\n`;
}

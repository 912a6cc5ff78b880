/** Transfer encodings of MIME bodies (RFC 2045 §6). */

export interface EncodedText {
  encoding: "7bit" | "quoted-printable" | "base64";
  bytes: Buffer;
}

const LINE_MAX = 998;
const COLUMNS = 76;
/** Fraction of octets to encode above which base64 is shorter: quoted-printable triples them. */
const BASE64_SHARE = 1 / 6;

/**
 * Chooses 7bit, or the shorter of the others. Any line end becomes CRLF; lone surrogates become U+FFFD.
 * @example encodeText("hi") // { encoding: "7bit", bytes: "hi\r\n" }
 */
export function encodeText(text: string): EncodedText {
  const lines = `${text.toWellFormed().replace(/\r\n|\r|\n/g, "\r\n")}`;
  const whole = lines.endsWith("\r\n") ? lines : `${lines}\r\n`;
  const bytes = Buffer.from(whole, "utf8");
  if (is7Bit(whole)) return { encoding: "7bit", bytes };
  if (countUnprintable(bytes) > bytes.length * BASE64_SHARE) return { encoding: "base64", bytes: toBase64Lines(bytes) };
  return { encoding: "quoted-printable", bytes: toQuotedPrintable(whole) };
}

/** Latin-1 in and out; invalid escapes stay. By byte: a regular expression can take thirty times as long. */
export function decodeQuotedPrintable(text: string): string {
  if (!text.includes("=")) return text;
  const bytes = withoutSoftBreaks(Buffer.from(text, "latin1"));
  return withoutQuotes(bytes).toString("latin1");
}

const EQUALS = 0x3d;
/** Maximum white space that relays add before a line break (RFC 2045 §6.7, rule 3). */
const ADDED_BLANKS_MAX = 76;

function withoutSoftBreaks(bytes: Buffer): Buffer {
  let size = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    const end = byte === EQUALS ? softBreakEnd(bytes, at + 1) : null;
    if (end === null) bytes[size++] = byte;
    else at = end - 1;
  }
  return bytes.subarray(0, size);
}

/** @returns the offset after the line break; `null` when the equals sign begins none */
function softBreakEnd(bytes: Buffer, at: number): number | null {
  let end = at;
  while (end < at + ADDED_BLANKS_MAX && (bytes[end] === 0x20 || bytes[end] === 0x09)) end += 1;
  if (bytes[end] === 0x0d) end += 1;
  return bytes[end] === 0x0a ? end + 1 : null;
}

function withoutQuotes(bytes: Buffer): Buffer {
  let size = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    const high = byte === EQUALS ? hexDigit(bytes[at + 1]) : -1;
    const low = high < 0 ? -1 : hexDigit(bytes[at + 2]);
    if (low < 0) bytes[size++] = byte;
    else {
      bytes[size++] = high * 16 + low;
      at += 2;
    }
  }
  return bytes.subarray(0, size);
}

function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function is7Bit(text: string): boolean {
  return /^[\t\r\n -~]*$/.test(text) && text.split("\r\n").every((line) => line.length <= LINE_MAX);
}

function countUnprintable(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if (byte > 0x7e || (byte < 0x20 && byte !== 0x0d && byte !== 0x0a)) count += 1;
  return count;
}

/** Encodes as CRLF lines of 76 characters, the last one terminated too. */
export function toBase64Lines(bytes: Buffer): Buffer {
  const lines = bytes.toString("base64").match(/.{1,76}/g) ?? [];
  return Buffer.from(`${lines.join("\r\n")}\r\n`, "latin1");
}

/** Encodes: CRLF stays a line end, a bare CR or LF is quoted. The last line is terminated only if the input is. */
export function toQuotedPrintableLines(bytes: Buffer): Buffer {
  const lines = bytes.toString("latin1").split("\r\n");
  return Buffer.from(lines.map((line) => quoteLine(Buffer.from(line, "latin1"))).join("\r\n"), "latin1");
}

function toQuotedPrintable(text: string): Buffer {
  const lines = text.slice(0, -2).split("\r\n");
  return Buffer.from(lines.map((line) => `${quoteLine(Buffer.from(line, "utf8"))}\r\n`).join(""), "latin1");
}

function quoteLine(bytes: Buffer): string {
  const rows: string[] = [];
  let row = "";
  for (let at = 0; at < bytes.length; at += 1) {
    const sign = quoteByte(bytes[at] as number, at === bytes.length - 1);
    // One column stays free for the "=" of the soft break.
    if (row.length + sign.length > COLUMNS - 1) {
      rows.push(row);
      row = "";
    }
    row += sign;
  }
  return [...rows, row].join("=\r\n");
}

/** Quotes white space only at the end of a line, where relays may remove it. */
function quoteByte(byte: number, isLast: boolean): string {
  const isWhiteSpace = byte === 0x20 || byte === 0x09;
  const isPlain = isWhiteSpace ? !isLast : byte > 0x20 && byte < 0x7f && byte !== 0x3d;
  return isPlain ? String.fromCharCode(byte) : `=${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}

export function decodeTransfer(body: Buffer, encoding: string): Buffer {
  if (encoding === "base64") return decodeBase64(body);
  if (encoding === "quoted-printable") return Buffer.from(decodeQuotedPrintable(body.toString("latin1")), "latin1");
  return body;
}

const NO_PADDING = /[^=\s]/g;

/** Decodes base64 with padding even in the middle, as in concatenated texts. */
function decodeBase64(body: Buffer): Buffer {
  const text = body.toString("latin1");
  const out = Buffer.alloc(Math.ceil((text.length * 3) / 4) + 3);
  let size = 0;
  for (let start = 0; start < text.length; ) {
    const padding = text.indexOf("=", start);
    const end = padding < 0 ? text.length : padding;
    size += out.write(text.slice(start, end), size, "base64");
    NO_PADDING.lastIndex = end;
    start = NO_PADDING.exec(text)?.index ?? text.length;
  }
  return out.subarray(0, size);
}

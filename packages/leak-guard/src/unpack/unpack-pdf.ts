/** Reads streams and strings of PDF (ISO 32000-1 §7.3, §7.4), but no custom encodings, LZW or encryption. */
import type { Inner } from "../inner.ts";

const MAGIC = Buffer.from("%PDF-");
const STREAM = Buffer.from("stream");
const END_STREAM = Buffer.from("endstream");
const DICTIONARY_BYTES = 1024;
/** Characters of ASCII85: first digit, last digit, and `z` for a group of zeros. */
const [FIRST_DIGIT, LAST_DIGIT, ZERO_GROUP] = [0x21, 0x75, 0x7a];
const WINDOW = 1_048_576;
const WINDOW_OVERLAP = 4096;

export const isPdf = (bytes: Buffer): boolean => bytes.subarray(0, 1024).includes(MAGIC);

export function* unpackPdf(bytes: Buffer): Generator<Inner> {
  let gapStart = 0;
  let at = bytes.indexOf(STREAM);
  while (at >= 0) {
    const start = at + STREAM.length + lineEndAt(bytes, at + STREAM.length);
    const found = bytes.indexOf(END_STREAM, start);
    const end = found < 0 ? bytes.length : found;
    yield* pdfViews(bytes.subarray(gapStart, at));
    yield* readStream(
      bytes.subarray(start, end),
      bytes.toString("latin1", Math.max(gapStart, at - DICTIONARY_BYTES), at),
    );
    gapStart = Math.min(bytes.length, end + END_STREAM.length);
    at = bytes.indexOf(STREAM, gapStart);
  }
  yield* pdfViews(bytes.subarray(gapStart));
}

function lineEndAt(bytes: Buffer, at: number): number {
  if (bytes[at] === 0x0d) return bytes[at + 1] === 0x0a ? 2 : 1;
  return bytes[at] === 0x0a ? 1 : 0;
}

/** Reads a stream; recognizes zlib by its first two bytes, since dictionaries can be indirect. */
function* readStream(data: Buffer, dictionary: string): Generator<Inner> {
  if (/\/(?:ASCIIHexDecode|AHx)\b/.test(dictionary)) {
    yield { bytes: Buffer.from(data.toString("latin1").replace(/[^0-9a-f]/gi, ""), "hex"), isPdf: true };
  } else if (/\/(?:ASCII85Decode|A85)\b/.test(dictionary)) yield { bytes: decodeAscii85(data), isPdf: true };
  else if (isZlib(data)) yield { bytes: data, packing: "zlib", isPdf: true };
  else yield { bytes: data, isPdf: true };
}

/** A zlib stream is known by its header (RFC 1950 §2.2). */
export function isZlib(bytes: Buffer): boolean {
  const [method = 0, flags = 0] = bytes;
  return (method & 0x0f) === 8 && method >> 4 <= 7 && (method * 256 + flags) % 31 === 0;
}

/** Yields decoded bytes, maybe UTF-16, in windows: millions of escapes in one replacement take too much memory. */
export function* pdfViews(bytes: Buffer): Generator<Inner> {
  for (let start = 0; start < bytes.length; start += WINDOW) {
    yield* stringViews(bytes.toString("latin1", start, start + WINDOW + WINDOW_OVERLAP));
  }
}

function* stringViews(text: string): Generator<Inner> {
  if (/\\[0-7()\\\r\n]/.test(text)) yield view(withoutEscapes(text));
  if (/<[0-9a-f\s]{8}/i.test(text)) yield view(withoutHex(text));
  // Kerned text: [(an) -20 (na@ex) 15 (ample.org)] TJ
  if (/\)[\s\d.-]{0,40}\(/.test(text)) yield view(withoutEscapes(text.replace(/\)[\s\d.-]{0,40}\(/g, "")));
}

const view = (text: string): Inner => ({ bytes: Buffer.from(text, "latin1"), isView: true });

function withoutEscapes(text: string): string {
  return text
    .replace(/\\\r?\n/g, "")
    .replace(/\\(?:([0-7]{1,3})|([()\\]))/g, (_, octal: string | undefined, sign: string) =>
      octal === undefined ? sign : String.fromCharCode(Number.parseInt(octal, 8) & 0xff),
    );
}

/** Hex strings are limited in length: V8 overflows its stack on a match of megabytes. */
function withoutHex(text: string): string {
  return text
    .replace(/>[\s\d.-]{0,40}</g, "")
    .replace(/[0-9a-f][0-9a-f\s]{7,60000}/gi, (digits) =>
      Buffer.from(digits.replace(/\s+/g, ""), "hex").toString("latin1"),
    );
}

/** Decodes ASCII85: `z` for four zero bytes, `~>` at the end; other characters are skipped. */
function decodeAscii85(data: Buffer): Buffer {
  const end = data.indexOf("~");
  const digits = end < 0 ? data : data.subarray(0, end);
  const out = Buffer.alloc(digits.length + 4 * countOf(digits, ZERO_GROUP) + 4);
  let [value, count, size] = [0, 0, 0];
  for (const byte of digits) {
    if (byte === ZERO_GROUP && count === 0) size += 4;
    if (byte < FIRST_DIGIT || byte > LAST_DIGIT) continue;
    value = value * 85 + byte - FIRST_DIGIT;
    count += 1;
    if (count < 5) continue;
    size = out.writeUInt32BE(value >>> 0, size);
    [value, count] = [0, 0];
  }
  if (count < 2) return out.subarray(0, size);
  for (let place = count; place < 5; place += 1) value = value * 85 + LAST_DIGIT - FIRST_DIGIT;
  out.writeUInt32BE(value >>> 0, size);
  return out.subarray(0, size + count - 1);
}

function countOf(bytes: Buffer, wanted: number): number {
  let count = 0;
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + 1)) count += 1;
  return count;
}

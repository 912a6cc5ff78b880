/**
 * DKIM canonicalization for signing (RFC 6376 §3.4): relaxed for header fields, simple for the body. The simple body
 * needs only one pass of SHA-256, whatever white space the message contains.
 */
import { createHash, hash as hashOnce } from "node:crypto";

const CR = 0x0d;
const LF = 0x0a;
const CRLF = Buffer.from("\r\n");
const emptyLines = Buffer.from("\r\n".repeat(16_384));
/** White space within a field's value that DKIM's relaxed canonicalization changes (RFC 6376 §3.4.2). */
const LOOSE_SPACE = /[\r\t]| {2}/;

/**
 * Hashes a whole body for `bh=`.
 * @param body plain (not dot-stuffed), CRLF line ends
 * @returns SHA-256 of the simple body (§3.4.3)
 */
export function simpleBodyHash(body: Buffer): Buffer {
  const end = endOfText(body);
  return end > 0 && body[end - 1] === LF
    ? hashOnce("sha256", body.subarray(0, end), "buffer")
    : simpleBodyHashOf([body]);
}

/** Hashes a body given in chunks, none of which may end between CR and LF. */
export function simpleBodyHashOf(pieces: readonly Buffer[]): Buffer {
  // The last chunk with text in it; all following chunks consist of empty lines.
  const last = pieces.findLastIndex((piece) => endOfText(piece) > 0);
  const hash = createHash("sha256");
  for (const piece of pieces.slice(0, Math.max(last, 0))) hash.update(piece);
  const text = pieces[last];
  const end = text === undefined ? 0 : endOfText(text);
  if (text !== undefined) hash.update(text.subarray(0, end));
  // A last line without a line end gets one; an empty body is hashed as one CRLF.
  if (end === 0 || text?.[end - 1] !== LF) hash.update(CRLF);
  return hash.digest();
}

/**
 * Canonicalizes one header field with the relaxed algorithm.
 * @param field the whole field as in the message, Latin-1, with or without its CRLF
 * @returns e.g. `subject:a b`, without CRLF
 */
export function relaxedField(field: string): string {
  const colon = field.indexOf(":");
  const name = field.slice(0, colon).trimEnd().toLowerCase();
  const value = field.slice(colon + 1, field.endsWith("\r\n") ? -2 : undefined);
  const line = LOOSE_SPACE.test(value) ? value.replace(/\r\n/g, "").replace(/[ \t]+/g, " ") : value;
  return `${name}:${line.slice(line.startsWith(" ") ? 1 : 0, line.endsWith(" ") ? -1 : undefined)}`;
}

/** @returns the offset after the last line with text and its line end; further empty lines do not count (§3.4.3) */
function endOfText(body: Buffer): number {
  let end = body.length;
  // Skips many empty lines at once, as long as another CRLF precedes them.
  while (isLineEnd(body, end - emptyLines.length) && emptyLines.equals(body.subarray(end - emptyLines.length, end))) {
    end -= emptyLines.length;
  }
  while (isLineEnd(body, end)) {
    if (end === 2) return 0;
    if (!isLineEnd(body, end - 2)) return end;
    end -= 2;
  }
  return end;
}

/** Whether a CRLF ends at `end`. */
function isLineEnd(body: Buffer, end: number): boolean {
  return end >= 2 && body[end - 1] === LF && body[end - 2] === CR;
}

/**
 * What DKIM hashes (RFC 6376 §3.4): header fields relaxed, the body simple. Simple takes the body as it lies, so that no message,
 * however its white space is laid, costs more than one pass of SHA-256.
 */
import { createHash } from "node:crypto";

const CR = 0x0d;
const LF = 0x0a;
const CRLF = Buffer.from("\r\n");
const emptyLines = Buffer.from("\r\n".repeat(16_384));

/** @param body plain (not dot-stuffed), CRLF line ends @returns SHA-256 of the simple body (§3.4.3) */
export function simpleBodyHash(body: Buffer): Buffer {
  return simpleBodyHashOf([body]);
}

/** The same of a body in pieces. No CRLF may be parted between two. */
export function simpleBodyHashOf(pieces: readonly Buffer[]): Buffer {
  // The last piece with text in it: those after it are empty lines only.
  const last = pieces.findLastIndex((piece) => endOfText(piece) > 0);
  const hash = createHash("sha256");
  for (const piece of pieces.slice(0, Math.max(last, 0))) hash.update(piece);
  const text = pieces[last];
  const end = text === undefined ? 0 : endOfText(text);
  if (text !== undefined) hash.update(text.subarray(0, end));
  // A last line without an end gets one, and so does no line at all.
  if (end === 0 || text?.[end - 1] !== LF) hash.update(CRLF);
  return hash.digest();
}

/**
 * One header field, relaxed.
 * @param field the whole field as it lies in the message, latin1, with its CRLF or without
 * @returns e.g. `subject:a b`, without CRLF
 */
export function relaxedField(field: string): string {
  const colon = field.indexOf(":");
  const name = field.slice(0, colon).trimEnd().toLowerCase();
  const value = field.slice(colon + 1).replace(/\r\n/g, "");
  return `${name}:${value.replace(/[ \t]+/g, " ").replace(/^ | $/g, "")}`;
}

/** Where the text ends, of the empty lines after it at most the end of its last line (§3.4.4b). */
function endOfText(body: Buffer): number {
  let end = body.length;
  // Many at once, as long as one more lies before them.
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

/** Whether a CRLF lies just before `end`. */
function isLineEnd(body: Buffer, end: number): boolean {
  return end >= 2 && body[end - 1] === LF && body[end - 2] === CR;
}

/**
 * What DKIM hashes (RFC 6376 §3.4): header fields relaxed, the body simple. Simple takes the body as it lies, so that no message,
 * however its white space is laid, costs more than one pass of SHA-256.
 */
import { createHash } from "node:crypto";

const CR = 0x0d;
const LF = 0x0a;
const CRLF = Buffer.from("\r\n");

/** @param body plain (not dot-stuffed), CRLF line ends @returns SHA-256 of the simple body (§3.4.3) */
export function simpleBodyHash(body: Buffer): Buffer {
  const end = endOfText(body);
  const hash = createHash("sha256").update(body.subarray(0, end));
  // A last line without an end gets one, and so does no line at all.
  if (end === 0 || body[end - 1] !== LF) hash.update(CRLF);
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
  while (end >= 2 && body[end - 1] === LF && body[end - 2] === CR) {
    if (end === 2) return 0;
    if (end < 4 || body[end - 3] !== LF || body[end - 4] !== CR) return end;
    end -= 2;
  }
  return end;
}

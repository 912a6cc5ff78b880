/** DKIM canonicalization (RFC 6376 §3.4). Signing uses simple for the body: one pass of SHA-256. */
import { createHash, hash as hashOnce } from "node:crypto";
import { asciiLowerCase, type RawField, utf8Of, withoutBlanks } from "../header/raw-fields.ts";
import type { DkimCanonicalization } from "./dkim-body.ts";

const CR = 0x0d;
const LF = 0x0a;
const CRLF = Buffer.from("\r\n");
const emptyLines = Buffer.from("\r\n".repeat(16_384));
/** What relaxed canonicalization changes (RFC 6376 §3.4.2). */
const LOOSE_SPACE = /[\r\t]| {2}/;

/** Value of `bh=` for a body that is not dot-stuffed (§3.4.3). */
export function simpleBodyHash(body: Buffer): Buffer {
  const end = endOfText(body);
  return end > 0 && body[end - 1] === LF
    ? hashOnce("sha256", body.subarray(0, end), "buffer")
    : simpleBodyHashOf([body]);
}

export function simpleBodyHashOf(pieces: readonly Buffer[]): Buffer {
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

/** Relaxed form of a field in Latin-1, with or without its CRLF; e.g. `subject:a b`. */
export function relaxedField(field: string): string {
  const colon = field.indexOf(":");
  const name = field.slice(0, colon).trimEnd().toLowerCase();
  const value = field.slice(colon + 1, field.endsWith("\r\n") ? -2 : undefined);
  const line = LOOSE_SPACE.test(value) ? value.replace(/\r\n/g, "").replace(/[ \t]+/g, " ") : value;
  return `${name}:${line.slice(line.startsWith(" ") ? 1 : 0, line.endsWith(" ") ? -1 : undefined)}`;
}

/** Offset of the end of the text, without empty lines at the end (§3.4.3). */
function endOfText(body: Buffer): number {
  let end = body.length;
  // Skips many empty lines at once.
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

function isLineEnd(body: Buffer, end: number): boolean {
  return end >= 2 && body[end - 1] === LF && body[end - 2] === CR;
}

const PLAIN_NAME = /^[!-9;-~]+:/;

/**
 * Text that was signed, one character per byte.
 * @param names as in `h=`; one listed n times stands for the n lowest fields of that name (§5.4.2)
 * @param signature the signature's own field, covered with an empty `b=`
 */
export function signedText(
  fields: readonly RawField[],
  { names, form, signature }: { names: readonly string[]; form: DkimCanonicalization; signature: string },
): string {
  const left = new Map<string, string[]>();
  for (const { name, text } of fields) {
    const same = left.get(name);
    if (same === undefined) left.set(name, [text]);
    else same.push(text);
  }
  let covered = "";
  for (const name of names) {
    const text = left.get(name)?.pop();
    if (text !== undefined) covered += `${canonicalField(text, form)}\r\n`;
  }
  return covered + withoutSignature(canonicalField(signature, form));
}

export function canonicalField(text: string, form: DkimCanonicalization): string {
  if (form === "simple") return text;
  if (PLAIN_NAME.test(text)) return relaxedField(text);
  const line = text.replace(/\r\n/g, "");
  const colon = line.indexOf(":");
  const name = asciiLowerCase(withoutBlanks(line.slice(0, Math.max(colon, 0))));
  const value = withoutBlanks(line.slice(colon + 1));
  return (colon < 0 ? value : `${name}:${value}`).replace(/[ \t]+/g, " ");
}

/** Empties the last `b=` tag (§3.7), from which `readTags` takes the signature. */
export function withoutSignature(field: string): string {
  const start = field.indexOf(":") + 1;
  const tags = field.slice(start).split(";");
  const at = tags.findLastIndex(isSignatureTag);
  const tag = tags[at];
  if (tag === undefined) return field;
  tags[at] = tag.slice(0, tag.indexOf("=") + 1);
  return field.slice(0, start) + tags.join(";");
}

function isSignatureTag(tag: string): boolean {
  const equals = tag.indexOf("=");
  return equals >= 0 && utf8Of(tag.slice(0, equals)).trim().toLowerCase() === "b";
}

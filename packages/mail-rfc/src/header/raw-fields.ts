/**
 * Splits a header for checking signatures: every byte stays (RFC 6376 §3.4.1). A line that is no field continues the
 * one above, since programs differ about folds, and more bytes under a signature can only make it fail.
 */
import { headerLimits } from "./headers.ts";

export interface RawField {
  name: string;
  /** The field without its final CRLF, one character per byte. */
  text: string;
}

/** Start of a field; white space before the colon is obsolete (RFC 5322 §4.5.8). */
const FIELD_START = /^[!-9;-~]+[ \t\r\n]*:/;
const PLAIN_START = /^[!-9;-~]+:/;
const NON_ASCII = /[^\0-\u{7f}]/u;

/** Fields from top to bottom; empty when the header exceeds the limits of accepted messages. */
export function rawFields(header: string): RawField[] {
  if (header.length > headerLimits.bytesMax) return [];
  const lines = withoutEnd(header, isBreak).split("\r\n");
  if (lines.length === 1 && lines[0] === "") return [];
  const fields: RawField[] = [];
  let end = lines.length;
  // Bottom-up, because a fold may separate a name from its colon.
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const line = lines[at] ?? "";
    if (at > 0 && !PLAIN_START.test(line)) {
      const start = at + 1 < end ? `${line}\r\n${lines[at + 1]}` : line;
      if (!FIELD_START.test(start)) continue;
    }
    fields.push(fieldOf(at + 1 === end ? line : lines.slice(at, end).join("\r\n")));
    end = at;
  }
  return fields.length > headerLimits.fieldsMax ? [] : fields.toReversed();
}

function fieldOf(text: string): RawField {
  const colon = text.indexOf(":");
  const name = colon < 0 ? text : text.slice(0, colon);
  return { name: asciiLowerCase(withoutBlanks(name.replace(/\r\n/g, ""))), text };
}

export function unicodeValue({ text }: RawField): string {
  return utf8Of(text.slice(text.indexOf(":") + 1));
}

export function utf8Of(bytes: string): string {
  return NON_ASCII.test(bytes) ? Buffer.from(bytes, "latin1").toString() : bytes;
}

/** Lower-cases ASCII only: any other character stands for a single byte. */
export function asciiLowerCase(text: string): string {
  return NON_ASCII.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text.toLowerCase();
}

/** Strips blanks; `trim` would also strip white space that belongs to the field name. */
export function withoutBlanks(text: string): string {
  let from = 0;
  while (from < text.length && isBlank(text[from])) from += 1;
  return withoutEnd(text.slice(from), isBlank);
}

/** Strips dropped characters at the end; a regular expression would backtrack on runs elsewhere. */
function withoutEnd(text: string, isDropped: (char: string | undefined) => boolean): string {
  let to = text.length;
  while (to > 0 && isDropped(text[to - 1])) to -= 1;
  return to === text.length ? text : text.slice(0, to);
}

const isBlank = (char: string | undefined): boolean => char === " " || char === "\t";
const isBreak = (char: string | undefined): boolean => char === "\r" || char === "\n";

const HEADER_END = Buffer.from("\r\n\r\n");
const CRLF = Buffer.from("\r\n");
const CR = 0x0d;
const LF = 0x0a;
/** Maximum bytes of a body whose line ends are changed; 4 MiB take 20 ms of the event loop. */
const BODY_MAX = 4 * 1024 * 1024;
const LOOSE = /(?:^|[^\r])\n|\r(?!\n)/;
/** Carriage returns that some programs read as line ends, and so see other fields. `\r\r\n` is a line end to all. */
const AMBIGUOUS = /\r(?!\n|\r\n)(?:\r|[!-9;-~]+[ \t]*:)/;
const FIELD_AFTER_CRLF = /\r\n[!-9;-~]+[ \t]*:/;
const LINE_END = /\r{0,2}\n/g;
const BLANK_LINE = /\n\r{0,2}\n/;

/** Makes line ends CRLF, in a body up to 4 MiB if it has none; `null` if programs would read different headers. */
export function withHeaderLineEnds(wire: Buffer): Buffer | null {
  const strictEnd = wire.indexOf(HEADER_END);
  const textEnd = Math.min(strictEnd < 0 ? wire.length : strictEnd + HEADER_END.length, headerLimits.bytesMax + 1);
  const text = wire.toString("latin1", 0, textEnd);
  if (!LOOSE.test(text)) return wire;
  if (text.startsWith("\r\n")) return wire;
  const blank = BLANK_LINE.exec(text);
  const end = blank === null ? text.length : blank.index + blank[0].length;
  const header = text.slice(0, end);
  if (AMBIGUOUS.test(header)) return null;
  if (end !== textEnd && (header.includes("\r\n") || FIELD_AFTER_CRLF.test(text.slice(end)))) return null;
  const fixed = Buffer.from(header.replace(LINE_END, "\r\n"), "latin1");
  const body = wire.subarray(end);
  const isAllLoose =
    body.length <= BODY_MAX && !header.includes("\r\n") && body.indexOf(CRLF) >= body.length - CRLF.length;
  return Buffer.concat([fixed, isAllLoose ? withCrlf(body) : body]);
}

/** Makes line ends CRLF on bytes: a replacement in a string takes tens of bytes of heap for each line end. */
function withCrlf(body: Buffer): Buffer {
  const isLoose = (at: number) => body[at] === LF && body[at - 1] !== CR;
  let loose = 0;
  for (let at = 0; at < body.length; at++) if (isLoose(at)) loose++;
  const out = Buffer.allocUnsafe(body.length + loose);
  for (let at = 0, to = 0; at < body.length; at++) {
    if (isLoose(at)) out[to++] = CR;
    out[to++] = body[at] as number;
  }
  return out;
}

/**
 * Splits a header into fields for checking signatures: every byte stays, folding included, as simple canonicalization
 * needs it (RFC 6376 §3.4.1). Unlike `readHeader` it never ends at a line that is no field: such a line continues the
 * field above, because mail programs differ in what they take for a fold, and more bytes under a signature can only
 * make it fail.
 */
import { headerLimits } from "./headers.ts";

export interface RawField {
  /** Field name in lower case. */
  name: string;
  /** The field without its final CRLF, one character per byte. */
  text: string;
}

/**
 * Start of a field (RFC 5322 §3.6.8; white space before the colon is obsolete, §4.5.8). Other lines continue a field.
 */
const FIELD_START = /^[!-9;-~]+[ \t\r\n]*:/;
/** First line of a field that is recognised without the next line, as almost all are. */
const PLAIN_START = /^[!-9;-~]+:/;
const NON_ASCII = /[^\0-\u{7f}]/u;

/**
 * @param header header with CRLF line ends, with or without the blank line at its end, one character per byte
 * @returns the fields from top to bottom; an empty list when the header exceeds the limits of accepted messages
 */
export function rawFields(header: string): RawField[] {
  if (header.length > headerLimits.bytesMax) return [];
  const lines = withoutEnd(header, isBreak).split("\r\n");
  if (lines.length === 1 && lines[0] === "") return [];
  const fields: RawField[] = [];
  let end = lines.length;
  // Bottom-up, because a fold may separate a name from its colon: whether a line begins a field depends on the next
  // line.
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

/** @returns a field's value in Unicode, its folds included */
export function unicodeValue({ text }: RawField): string {
  return utf8Of(text.slice(text.indexOf(":") + 1));
}

/** Decodes text with one character per byte as UTF-8. */
export function utf8Of(bytes: string): string {
  return NON_ASCII.test(bytes) ? Buffer.from(bytes, "latin1").toString() : bytes;
}

/** Converts only ASCII letters to lower case: any other character stands for a single byte. */
export function asciiLowerCase(text: string): string {
  return NON_ASCII.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text.toLowerCase();
}

/** Strips spaces and tabs only; `trim` would also strip other white space, which belongs to the field name. */
export function withoutBlanks(text: string): string {
  let from = 0;
  while (from < text.length && isBlank(text[from])) from += 1;
  return withoutEnd(text.slice(from), isBlank);
}

/**
 * Removes characters from a text's end. Not by a regular expression: on a run of them elsewhere it would backtrack once
 * per character of the run.
 */
function withoutEnd(text: string, isDropped: (char: string | undefined) => boolean): string {
  let to = text.length;
  while (to > 0 && isDropped(text[to - 1])) to -= 1;
  return to === text.length ? text : text.slice(0, to);
}

const isBlank = (char: string | undefined): boolean => char === " " || char === "\t";
const isBreak = (char: string | undefined): boolean => char === "\r" || char === "\n";

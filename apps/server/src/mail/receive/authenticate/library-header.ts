/**
 * Parses a header into the field list that mailauth's own parser would return: same fields, same bytes, folding
 * included, as simple canonicalization needs them. It takes one pass, while mailauth's cost grows with the square of
 * the lines: 480 KiB of folded lines took it a minute. Fields that mailauth would process at more than linear cost are
 * filtered out by `isReadableSignature`.
 */
import { headerLimits } from "@kauke/mail-rfc";

/** One header field in mailauth's representation. */
export interface LibraryField {
  /** Field name in lower case. */
  key: string;
  casedKey: string;
  /** The raw field, folding included, without its final CRLF. */
  line: Buffer;
}

/**
 * Start of a field (RFC 5322 §3.6.8; white space before the colon is obsolete, §4.5.8). Other lines continue a field.
 */
const FIELD_START = /^[!-9;-~]+[ \t\r\n]*:/;

/** Maximum bytes of one signature or ARC field; real ones have one to three thousand. */
export const SIGNATURE_BYTES_MAX = 8 * 1024;
/** Maximum total bytes of the DKIM signatures that are checked, and separately of all ARC fields. */
export const SIGNATURES_BYTES_MAX = 64 * 1024;
/** Maximum run of white space in a signature or ARC field. The library parses each run in quadratic time. */
const BLANKS_MAX = 64;
const LONG_BLANKS = new RegExp(`(?<![ \\t\\r\\n])[ \\t\\r\\n]{${BLANKS_MAX + 1}}`);
/** Maximum tags of a signature, or results of an ARC-Authentication-Results. */
const TAGS_MAX = 100;
/** Maximum names in the `h=` tag of a signature: each is searched for in all fields. */
const SIGNED_NAMES_MAX = 200;
/** Maximum octets of a signature's `d=`, `s=` and `i=` tags; DNS names have 253 at most (RFC 1035 §3.1). */
const NAME_OCTETS_MAX = 320;

/**
 * @param header header with CRLF line ends, with or without the blank line at its end
 * @returns the fields from top to bottom; an empty list when the header exceeds the limits of accepted messages
 */
export function libraryFields(header: Buffer): LibraryField[] {
  if (header.length > headerLimits.bytesMax) return [];
  const lines = withoutEnd(header.toString("latin1"), isBreak).split("\r\n");
  if (lines.length === 1 && lines[0] === "") return [];
  const fields: LibraryField[] = [];
  let end = lines.length;
  // Bottom-up, because a fold may separate a name from its colon: whether a line begins a field depends on the next
  // line.
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const start = at + 1 < end ? `${lines[at]}\r\n${lines[at + 1]}` : (lines[at] ?? "");
    if (at > 0 && !FIELD_START.test(start)) continue;
    fields.push(fieldOf(lines.slice(at, end).join("\r\n")));
    end = at;
  }
  return fields.length > headerLimits.fieldsMax ? [] : fields.toReversed();
}

function fieldOf(line: string): LibraryField {
  const colon = line.indexOf(":");
  const casedKey = withoutBlanks((colon < 0 ? line : line.slice(0, colon)).replace(/\r\n/g, ""));
  return { key: casedKey.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()), casedKey, line: latin1(line) };
}

/**
 * Whether the library may parse a signature or ARC field: its size, tags, signed names, white space and domain lengths
 * are within what real ones need. A field beyond these limits is treated as absent.
 */
export function isReadableSignature({ line }: LibraryField): boolean {
  if (line.length > SIGNATURE_BYTES_MAX) return false;
  const text = line.toString("latin1");
  if (LONG_BLANKS.test(text)) return false;
  const tags = text.slice(text.indexOf(":") + 1).split(";");
  return tags.length <= TAGS_MAX && tags.every(isReadableTag);
}

function isReadableTag(tag: string): boolean {
  const equals = tag.indexOf("=");
  const name = tag.slice(0, Math.max(0, equals)).trim().toLowerCase();
  if (name === "h") return tag.split(":", SIGNED_NAMES_MAX + 1).length <= SIGNED_NAMES_MAX;
  return !["d", "s", "i"].includes(name) || tag.length - equals <= NAME_OCTETS_MAX;
}

/** @returns the leading fields that together fit into `SIGNATURES_BYTES_MAX` */
export function withinTotal(fields: readonly LibraryField[]): LibraryField[] {
  let left = SIGNATURES_BYTES_MAX;
  return fields.filter(({ line }) => {
    left -= line.length;
    return left >= 0;
  });
}

/** Strips spaces and tabs only; `trim` would also strip other white space, which belongs to the field name. */
function withoutBlanks(text: string): string {
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
  return text.slice(0, to);
}

const isBlank = (char: string | undefined): boolean => char === " " || char === "\t";
const isBreak = (char: string | undefined): boolean => char === "\r" || char === "\n";
const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");

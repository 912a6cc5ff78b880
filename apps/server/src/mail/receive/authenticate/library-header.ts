/**
 * A header in the shape of mailauth's own reader, whose cost grows with the square of the lines: 480 KiB of folded lines took it
 * a minute. The same fields with the same bytes come out, folding included, as simple canonicalization needs them; one pass here.
 * What the library would read at more than linear cost is kept from it: see `isReadableSignature`.
 */
import { headerLimits } from "@kauke/mail-rfc";

/** One field as mailauth keeps it. */
export interface LibraryField {
  /** Lower case. */
  key: string;
  casedKey: string;
  /** The whole field as it lies, without its last line end. */
  line: Buffer;
}

/** RFC 5322 §3.6.8; white space before the colon is obsolete (§4.5.8). What begins otherwise belongs to the field above. */
const FIELD_START = /^[!-9;-~]+[ \t\r\n]*:/;

/** Bytes of a signature or ARC field; real ones have one to three thousand. */
export const SIGNATURE_BYTES_MAX = 8 * 1024;
/** Bytes of all signatures that are looked at, and of all ARC fields. */
export const SIGNATURES_BYTES_MAX = 64 * 1024;
/** White space in a row in a signature or ARC field. The library reads each run of it in squared time. */
const BLANKS_MAX = 64;
const LONG_BLANKS = new RegExp(`(?<![ \\t\\r\\n])[ \\t\\r\\n]{${BLANKS_MAX + 1}}`);
/** Tags, or results of an ARC-Authentication-Results. */
const TAGS_MAX = 100;
/** Names in `h=`: each is looked for in all fields. */
const SIGNED_NAMES_MAX = 200;
/** Octets of `d=`, `s=` and `i=`; names in DNS have 253 at most (RFC 1035 §3.1). */
const NAME_OCTETS_MAX = 320;

/**
 * @param header with CRLF line ends, a blank line at its end or none
 * @returns the fields from the top; none of a header beyond the limits of those that are taken
 */
export function libraryFields(header: Buffer): LibraryField[] {
  if (header.length > headerLimits.bytesMax) return [];
  const lines = withoutEnd(header.toString("latin1"), isBreak).split("\r\n");
  if (lines.length === 1 && lines[0] === "") return [];
  const fields: LibraryField[] = [];
  let end = lines.length;
  // From below, since a name may be parted from its colon by a fold: whether a line begins a field depends on the next.
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
 * Whether the library may read it: a signature or ARC field that is no larger, and has no more tags, signed names, blanks and longer
 * domains, than a real one could. What is not readable counts as not there.
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

/** @returns the fields from the first one on that fit into the bytes for all of them */
export function withinTotal(fields: readonly LibraryField[]): LibraryField[] {
  let left = SIGNATURES_BYTES_MAX;
  return fields.filter(({ line }) => {
    left -= line.length;
    return left >= 0;
  });
}

/** Not `trim`: other white space belongs to the name. */
function withoutBlanks(text: string): string {
  let from = 0;
  while (from < text.length && isBlank(text[from])) from += 1;
  return withoutEnd(text.slice(from), isBlank);
}

/** No expression: where a run is not at the end, it would read the run anew for each sign of it. */
function withoutEnd(text: string, isDropped: (sign: string | undefined) => boolean): string {
  let to = text.length;
  while (to > 0 && isDropped(text[to - 1])) to -= 1;
  return text.slice(0, to);
}

const isBlank = (sign: string | undefined): boolean => sign === " " || sign === "\t";
const isBreak = (sign: string | undefined): boolean => sign === "\r" || sign === "\n";
const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");

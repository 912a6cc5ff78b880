/**
 * Searches bytes of any format for mailboxes written in ASCII, Latin-1, UTF-8 or UTF-16 of either byte order, in any
 * letter case. The domain is found by a native byte search, and only the bytes around a hit are decoded as text.
 * Control characters near a hit mean binary data: there a byte directly beside the address may be a length or belong to
 * the next value, so it does not make the address a longer one.
 */
import { type Boundary, findMailbox, type MailboxPattern } from "./mailbox-pattern.ts";
import { textViews } from "./text-views.ts";

interface Needle {
  /** Encoded domain as a Latin-1 string in lower case, to be found in bytes converted the same way. */
  bytes: string;
  charset: "utf8" | "utf16le" | "utf16be";
}

/** Bytes searched in one step. */
const CHUNK = 1_048_576;
/** Characters decoded before a domain: enough for a local part in which every character is an HTML entity. */
const BEFORE = 480;
/** Characters decoded after a domain, to see whether it continues. */
const AFTER = 70;
/**
 * Characters before a domain that are checked for encodings; when these have none, the hit is decided without decoding.
 */
const PLAIN_BEFORE = 130;
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches everything that is not printable ASCII
const NOT_PLAIN = /[%&\\<>=]|[^ -~\r\n\t\0]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression looks for control characters
const CONTROL = /[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]/;
/**
 * Characters that binary data usually yields when decoded as UTF-16. Chinese and Korean text also matches and is then
 * treated as binary.
 */
const HIGH_UNIT = /[\u2e80-\uffff]/;

/** Needles by pattern list: one message has thousands of chunks that are searched for the same mailboxes. */
const cached = new WeakMap<readonly MailboxPattern[], readonly Needle[]>();

/**
 * @param boundary which occurrences count where no control characters are near
 * @returns the first destination found in the bytes, spelled as in its pattern; `null` when none occurs
 */
export function findInBytes(
  bytes: Buffer,
  patterns: readonly MailboxPattern[],
  boundary: Boundary = "whole",
): string | null {
  const needles = cached.get(patterns) ?? needlesOf(patterns);
  cached.set(patterns, needles);
  const overlap = Math.max(0, ...needles.map((needle) => needle.bytes.length)) - 1;
  for (let start = 0; start < bytes.length; start += CHUNK) {
    const chunk = bytes.toString("latin1", start, start + CHUNK + overlap).toLowerCase();
    for (const needle of needles) {
      for (const around of domainsIn(chunk, needle)) {
        const shifted = { ...around, from: start + around.from, at: start + around.at, end: start + around.end };
        const found = isPlainOther(chunk, around, patterns) ? null : findAround(bytes, shifted, { patterns, boundary });
        if (found !== null) return found;
      }
    }
  }
  return null;
}

/** A domain found in a chunk, with the preceding bytes that may belong to its address. */
interface Around {
  /**
   * Offset at which the bytes before the domain begin; not before the previous hit of the same domain, so that no byte
   * is decoded twice.
   */
  from: number;
  at: number;
  end: number;
  charset: Needle["charset"];
}

function* domainsIn(chunk: string, { bytes: needle, charset }: Needle): Generator<Around> {
  // The local part of the first hit in a chunk may begin in the previous chunk.
  let last = -BEFORE * 2;
  for (let at = chunk.indexOf(needle); at >= 0; at = chunk.indexOf(needle, at + 1)) {
    const end = at + needle.length;
    yield { from: Math.max(last, at - BEFORE * 2), at, end, charset };
    last = end;
  }
}

/**
 * Fast path for the usual hit: whether the text before the domain is plain ASCII without any encoding and names none of
 * the mailboxes.
 */
function isPlainOther(chunk: string, { from, at, end, charset }: Around, patterns: readonly MailboxPattern[]): boolean {
  if (charset !== "utf8" || chunk[at - 1] !== "@" || at < PLAIN_BEFORE) return false;
  const text = chunk.slice(Math.max(from, at - PLAIN_BEFORE), end);
  return !NOT_PLAIN.test(text) && findMailbox(text, patterns, "within") === null;
}

function needlesOf(patterns: readonly MailboxPattern[]): Needle[] {
  const domains = new Set(patterns.flatMap((pattern) => pattern.domains));
  // The byte search ignores letter case only for ASCII, so domains with other characters are searched in both cases.
  const spelled = new Set([...domains].flatMap((domain) => [domain, domain.toUpperCase()]));
  const needles = [...spelled].flatMap((domain): Needle[] => [
    { bytes: lowered(Buffer.from(domain)), charset: "utf8" },
    { bytes: lowered(Buffer.from(domain, "utf16le")), charset: "utf16le" },
    { bytes: lowered(Buffer.from(domain, "utf16le").swap16()), charset: "utf16be" },
  ]);
  return [...new Map(needles.map((needle) => [needle.bytes, needle])).values()];
}

const lowered = (bytes: Buffer): string => bytes.toString("latin1").toLowerCase();

interface Sought {
  patterns: readonly MailboxPattern[];
  boundary: Boundary;
}

function findAround(bytes: Buffer, around: Around, { patterns, boundary: least }: Sought): string | null {
  const text = readAround(bytes, around, AFTER);
  const isBinary = CONTROL.test(text) || (around.charset !== "utf8" && HIGH_UNIT.test(text));
  const boundary: Boundary = isBinary ? "within" : least;
  // In binary data, what follows is no part of the address, not even a combining mark.
  for (const view of textViews(isBinary ? readAround(bytes, around, 0) : text)) {
    const found = findMailbox(view.text, patterns, boundary);
    if (found !== null) return found.destination;
  }
  return null;
}

function readAround(bytes: Buffer, { from, at, end, charset }: Around, afterMax: number): string {
  if (charset === "utf8") return bytes.toString("utf8", Math.max(0, from, at - BEFORE), end + afterMax);
  const before = Math.min(BEFORE, (at - Math.max(0, from)) >> 1) * 2;
  const after = Math.min(afterMax, (bytes.length - end) >> 1) * 2;
  const units = Buffer.from(bytes.subarray(at - before, end + after));
  return (charset === "utf16be" ? units.swap16() : units).toString("utf16le");
}

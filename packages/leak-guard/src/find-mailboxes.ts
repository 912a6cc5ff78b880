/**
 * Searches bytes and texts of any length for mailboxes. In bytes (ASCII, Latin-1, UTF-8, UTF-16) only what surrounds a
 * found domain is decoded. Control characters near a hit mean binary data, where a byte beside the address may be a
 * length and not part of it.
 */
import { type Boundary, findMailbox, type MailboxPattern } from "./mailbox-pattern.ts";
import { textViews } from "./text-views.ts";

interface Needle {
  bytes: string;
  charset: "utf8" | "utf16le" | "utf16be";
}

const CHUNK = 1_048_576;
/** Characters decoded before a domain: enough for a local part in which every character is an HTML entity. */
const BEFORE = 480;
const AFTER = 70;
/** Characters before a domain that contain no encoding: then a hit is decided without decoding. */
const PLAIN_BEFORE = 130;
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches everything that is not printable ASCII
const NOT_PLAIN = /[%&\\<>=]|[^ -~\r\n\t\0]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression looks for control characters
const CONTROL = /[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]/;
/** Characters that binary data often yields as UTF-16; text in Chinese and Korean is then treated as binary too. */
const HIGH_UNIT = /[\u2e80-\uffff]/;

/** Patterns by mailboxes, since one message has thousands of chunks that are searched for the same ones. */
const cached = new WeakMap<readonly MailboxPattern[], readonly Needle[]>();

/** @param boundary rule where no control characters are near */
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

interface Around {
  /** Offset of the end of the previous hit, so that no byte is decoded twice. */
  from: number;
  at: number;
  end: number;
  charset: Needle["charset"];
}

function* domainsIn(chunk: string, { bytes: needle, charset }: Needle): Generator<Around> {
  // The first local part of a chunk may begin in the previous chunk.
  let last = -BEFORE * 2;
  for (let at = chunk.indexOf(needle); at >= 0; at = chunk.indexOf(needle, at + 1)) {
    const end = at + needle.length;
    yield { from: Math.max(last, at - BEFORE * 2), at, end, charset };
    last = end;
  }
}

/** Fast path: plain ASCII before the domain that names none of the mailboxes. */
function isPlainOther(chunk: string, { from, at, end, charset }: Around, patterns: readonly MailboxPattern[]): boolean {
  if (charset !== "utf8" || chunk[at - 1] !== "@" || at < PLAIN_BEFORE) return false;
  const text = chunk.slice(Math.max(from, at - PLAIN_BEFORE), end);
  return !NOT_PLAIN.test(text) && findMailbox(text, patterns, "within") === null;
}

function needlesOf(patterns: readonly MailboxPattern[]): Needle[] {
  const domains = new Set(patterns.flatMap((pattern) => pattern.domains));
  // A byte search ignores letter case only for ASCII.
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
  // In binary data what follows is no part of the address, not even a combining mark.
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

interface TextLeak {
  destination: string;
  /** Line of the address, from 1; `null` when it appears only after decoding. */
  line: number | null;
}

/** Characters searched at once: far below the length at which V8 overflows its stack on a repeated class. */
const WINDOW = 1_048_576;
/** Overlap of windows: longer than an address with markup, entities and invisible characters. */
const OVERLAP = 16_384;
/** Characters at a cut within which a domain or local part may be incomplete. */
const EDGE = 400;

export function findInText(text: string, patterns: readonly MailboxPattern[], boundary: Boundary): TextLeak | null {
  for (let start = 0; start === 0 || start + OVERLAP < text.length; start += WINDOW) {
    const end = start + WINDOW + OVERLAP;
    const window = { text: text.slice(start, end), isFirst: start === 0, isLast: end >= text.length };
    const leak = findInWindow(window, patterns, boundary);
    if (leak === null) continue;
    const { destination, line } = leak;
    return { destination, line: line === null ? null : line + countBreaks(text.slice(0, start)) };
  }
  return null;
}

interface Window {
  text: string;
  isFirst: boolean;
  isLast: boolean;
}

/** Ignores hits close to a cut: the adjacent window contains them whole. */
function findInWindow(
  { text, isFirst, isLast }: Window,
  patterns: readonly MailboxPattern[],
  boundary: Boundary,
): TextLeak | null {
  for (const view of textViews(text)) {
    const range = [isFirst ? 0 : EDGE, isLast ? view.text.length : view.text.length - EDGE] as const;
    const found = findMailbox(view.text, patterns, boundary, range);
    if (found === null) continue;
    const line = view.keepsLines ? countBreaks(view.text.slice(0, found.at)) + 1 : null;
    return { destination: found.destination, line };
  }
  return null;
}

function countBreaks(text: string): number {
  return text.split("\n").length - 1;
}

/**
 * Searches bytes of any format for mailboxes written in ASCII, Latin-1, UTF-8 or UTF-16 of either byte order, in any letter
 * case. The domain is searched natively; only around it the bytes are read as text. Where control characters stand nearby, the
 * bytes are binary: what stands directly beside the address may be a length or the next value, and says nothing.
 */
import { type Boundary, findMailbox, type MailboxPattern } from "./mailbox-pattern.ts";
import { textViews } from "./text-views.ts";

interface Needle {
  /** Bytes as Latin-1, in lower case as Latin-1. */
  bytes: string;
  charset: "utf8" | "utf16le" | "utf16be";
}

/** Bytes that are searched at once. */
const CHUNK = 1_048_576;
/** Characters read before and after a domain: a local part in which every character is an entity. */
const BEFORE = 480;
const AFTER = 70;
/** Characters before a domain that decide when there is nothing to undo in them. */
const PLAIN_BEFORE = 130;
// biome-ignore lint/suspicious/noControlCharactersInRegex: everything that is not printable ASCII
const NOT_PLAIN = /[%&\\<>=]|[^ -~\r\n\t\0]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]/;
/** What other data looks like when it is read as UTF-16; also true for Chinese and Korean text, which is then searched more strictly. */
const HIGH_UNIT = /[\u2e80-\uffff]/;

/** A message has thousands of pieces that are searched for the same. */
const cached = new WeakMap<readonly MailboxPattern[], readonly Needle[]>();

/** @returns the destination found, as it was given */
export function findInBytes(bytes: Buffer, patterns: readonly MailboxPattern[]): string | null {
  const needles = cached.get(patterns) ?? needlesOf(patterns);
  cached.set(patterns, needles);
  const overlap = Math.max(0, ...needles.map((needle) => needle.bytes.length)) - 1;
  for (let start = 0; start < bytes.length; start += CHUNK) {
    const chunk = bytes.toString("latin1", start, start + CHUNK + overlap).toLowerCase();
    for (const needle of needles) {
      for (const around of domainsIn(chunk, needle)) {
        const shifted = { ...around, from: start + around.from, at: start + around.at, end: start + around.end };
        const found = isPlainStranger(chunk, around, patterns) ? null : findAround(bytes, shifted, patterns);
        if (found !== null) return found;
      }
    }
  }
  return null;
}

/** A domain and the bytes before it that may belong to its address. */
interface Around {
  /** Behind the same domain before, so that no byte is read twice for domains in a row. */
  from: number;
  at: number;
  end: number;
  charset: Needle["charset"];
}

function* domainsIn(chunk: string, { bytes: needle, charset }: Needle): Generator<Around> {
  // The first one of a chunk may have its local part in the chunk before.
  let last = -BEFORE * 2;
  for (let at = chunk.indexOf(needle); at >= 0; at = chunk.indexOf(needle, at + 1)) {
    const end = at + needle.length;
    yield { from: Math.max(last, at - BEFORE * 2), at, end, charset };
    last = end;
  }
}

/** The usual case, decided fast: plain ASCII that has nothing to undo and names nobody we look for. */
function isPlainStranger(
  chunk: string,
  { from, at, end, charset }: Around,
  patterns: readonly MailboxPattern[],
): boolean {
  if (charset !== "utf8" || chunk[at - 1] !== "@" || at < PLAIN_BEFORE) return false;
  const text = chunk.slice(Math.max(from, at - PLAIN_BEFORE), end);
  return !NOT_PLAIN.test(text) && findMailbox(text, patterns, "within") === null;
}

function needlesOf(patterns: readonly MailboxPattern[]): Needle[] {
  const domains = new Set(patterns.flatMap((pattern) => pattern.domains));
  // The letter case of what is not ASCII is not undone by bytes.
  const spelled = new Set([...domains].flatMap((domain) => [domain, domain.toUpperCase()]));
  const needles = [...spelled].flatMap((domain): Needle[] => [
    { bytes: lowered(Buffer.from(domain)), charset: "utf8" },
    { bytes: lowered(Buffer.from(domain, "utf16le")), charset: "utf16le" },
    { bytes: lowered(Buffer.from(domain, "utf16le").swap16()), charset: "utf16be" },
  ]);
  return [...new Map(needles.map((needle) => [needle.bytes, needle])).values()];
}

const lowered = (bytes: Buffer): string => bytes.toString("latin1").toLowerCase();

function findAround(bytes: Buffer, around: Around, patterns: readonly MailboxPattern[]): string | null {
  const text = readAround(bytes, around);
  const isBinary = CONTROL.test(text) || (around.charset !== "utf8" && HIGH_UNIT.test(text));
  const boundary: Boundary = isBinary ? "within" : "whole";
  for (const view of textViews(text)) {
    const found = findMailbox(view.text, patterns, boundary);
    if (found !== null) return found.destination;
  }
  return null;
}

function readAround(bytes: Buffer, { from, at, end, charset }: Around): string {
  if (charset === "utf8") return bytes.toString("utf8", Math.max(0, from, at - BEFORE), end + AFTER);
  const before = Math.min(BEFORE, (at - Math.max(0, from)) >> 1) * 2;
  const after = Math.min(AFTER, (bytes.length - end) >> 1) * 2;
  const units = Buffer.from(bytes.subarray(at - before, end + after));
  return (charset === "utf16be" ? units.swap16() : units).toString("utf16le");
}

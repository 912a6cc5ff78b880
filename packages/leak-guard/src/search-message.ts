import { findInText } from "./find-mailboxes.ts";
import type { LeakFinding } from "./inner.ts";
import { LeakSearch, pieceOf } from "./leak-search.ts";
import { mailboxPatterns, shortestOf } from "./mailbox-pattern.ts";
import { mayHoldBase64 } from "./unpack/encoded-runs.ts";
import { UnpackBudget, type UnpackLimits, unpackLimits } from "./unpack/unpack-limits.ts";

/**
 * Searches every header and part and everything packed or encoded in them, in time linear in the data: up to seconds,
 * so not on a server's event loop.
 * @param message not dot-stuffed
 * @returns `null` when everything readable was searched and nothing was found
 */
export async function searchMessage(
  message: Buffer,
  destinations: readonly string[],
  limits: UnpackLimits = unpackLimits,
): Promise<LeakFinding | null> {
  const search = searchFor(destinations, limits);
  const whole = pieceOf({ bytes: message, kind: "message", isMessage: true });
  // The raw message is searched for addresses in bytes that belong to no part.
  return (await search?.first([whole, pieceOf({ bytes: message, kind: "message", isView: true })])) ?? null;
}

export async function searchTypedText(
  text: string,
  destinations: readonly string[],
  limits: UnpackLimits = unpackLimits,
): Promise<LeakFinding | null> {
  const search = searchFor(destinations, limits);
  return (await search?.first([pieceOf({ bytes: Buffer.from(text), kind: "text" })])) ?? null;
}

/** Characters that are searched in a millisecond of the event loop. */
const QUICK_TEXT_MAX = 16_384;

/** Searches without unpacking; "unsure" for a text that `searchTypedText` has to search. */
export function searchQuickly(
  { kind, text }: { kind: "text" | "subject"; text: string },
  destinations: readonly string[],
): LeakFinding | null | "unsure" {
  const isSubject = kind === "subject";
  if (!isSubject && text.length > QUICK_TEXT_MAX) return "unsure";
  const destination = findLeak(isSubject ? { headers: text } : { text }, destinations);
  if (destination === null) return !isSubject && holdsEncodedData(text, destinations) ? "unsure" : null;
  return { leak: "address", destination, place: { part: "", kind: isSubject ? "header" : "text", line: 1 } };
}

function holdsEncodedData(text: string, destinations: readonly string[]): boolean {
  // Hexadecimal digits are longer, and are base64 characters too.
  return mayHoldBase64(text, shortestOf(mailboxPatterns(destinations))) || /^begin [0-7]{3,4} /m.test(text);
}

function searchFor(destinations: readonly string[], limits: UnpackLimits): LeakSearch | null {
  const patterns = mailboxPatterns(destinations);
  return patterns.length === 0 ? null : new LeakSearch(patterns, new UnpackBudget(limits));
}

export interface ScannedParts {
  text?: string;
  html?: string;
  /** An address counts inside a longer token too, since identifiers and file names embed addresses. */
  headers?: string;
  calendar?: string;
}

/** @param destinations any case; a `+tag` is ignored @returns the first destination found, in its given spelling */
export function findLeak(parts: ScannedParts, destinations: readonly string[]): string | null {
  const patterns = mailboxPatterns(destinations);
  if (patterns.length === 0) return null;
  const { headers = "", text = "", html = "", calendar = "" } = parts;
  const found =
    findInText(text, patterns, "whole") ??
    findInText(html, patterns, "whole") ??
    findInText(headers, patterns, "within") ??
    findInText(calendar, patterns, "within");
  return found?.destination ?? null;
}

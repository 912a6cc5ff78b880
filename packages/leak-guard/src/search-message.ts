/** Entry points of the leak guard: does a message or a typed text reveal a mailbox behind the alias it is sent as? */
import type { LeakFinding } from "./leak-finding.ts";
import { findLeak } from "./leak-scan.ts";
import { LeakSearch, pieceOf } from "./leak-search.ts";
import { mailboxPatterns, shortestOf } from "./mailbox-pattern.ts";
import { mayHoldBase64 } from "./unpack/base64-runs.ts";
import { UnpackBudget, type UnpackLimits, unpackLimits } from "./unpack/unpack-limits.ts";

/**
 * Searches every header and part as a mail program would read it, and more: decoded bytes of any format, base64 within
 * text, archives, office files, PDF, S/MIME, OpenPGP, winmail.dat, attached messages. Time is linear in the data read,
 * which is limited. Near that limit it takes seconds, so it must not run on the event loop of a server.
 * @param message plain form (not dot-stuffed)
 * @param destinations mailboxes that the message must not reveal
 * @returns `null` when everything readable was searched and nothing was found
 */
export async function searchMessage(
  message: Buffer,
  destinations: readonly string[],
  limits: UnpackLimits = unpackLimits,
): Promise<LeakFinding | null> {
  const search = searchFor(destinations, limits);
  const whole = pieceOf({ bytes: message, kind: "message", isMessage: true });
  // The raw message is searched once more, for addresses in bytes that belong to no part.
  return (await search?.first([whole, pieceOf({ bytes: message, kind: "message", isView: true })])) ?? null;
}

/** Searches typed text, as a body without a header, in the way of `searchMessage`. */
export async function searchTypedText(
  text: string,
  destinations: readonly string[],
  limits: UnpackLimits = unpackLimits,
): Promise<LeakFinding | null> {
  const search = searchFor(destinations, limits);
  return (await search?.first([pieceOf({ bytes: Buffer.from(text), kind: "text" })])) ?? null;
}

/** Maximum characters of a text that is searched on the event loop, which takes about a millisecond. */
const QUICK_TEXT_MAX = 16_384;

/**
 * Searches a typed text or subject without unpacking data.
 * @returns "unsure" for a text that has to be searched by `searchTypedText`: a long one, or one that may hold encoded data
 */
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

/** The leak guard's two questions: does this message, does this text tell a mailbox behind the alias it is sent as? */
import type { LeakFinding } from "./leak-finding.ts";
import { LeakSearch, pieceOf } from "./leak-search.ts";
import { mailboxPatterns } from "./mailbox-pattern.ts";
import { UnpackBudget, type UnpackLimits, unpackLimits } from "./unpack/unpack-limits.ts";

/**
 * Reads every header and part as a mail program would and beyond it: decoded bytes of any format, base64 within text, archives,
 * office files, PDF, S/MIME, OpenPGP, winmail.dat, attached messages. Linear in what it reads, which has a limit. Takes seconds
 * for what comes near that limit: not for the event loop of a server.
 * @param message plain form (not dot-stuffed)
 * @param destinations the mailboxes that it must not tell
 * @returns `null` when nothing was found and everything that can be read was read
 */
export async function searchMessage(
  message: Buffer,
  destinations: readonly string[],
  limits: UnpackLimits = unpackLimits,
): Promise<LeakFinding | null> {
  const search = searchFor(destinations, limits);
  const whole = pieceOf({ bytes: message, kind: "message", isMessage: true });
  // Once more as it stands: nothing may hide where no part is.
  return (await search?.first([whole, pieceOf({ bytes: message, kind: "message", isView: true })])) ?? null;
}

/** The same for a text that somebody typed: a body without a header. */
export async function searchTypedText(
  text: string,
  destinations: readonly string[],
  limits: UnpackLimits = unpackLimits,
): Promise<LeakFinding | null> {
  const search = searchFor(destinations, limits);
  return (await search?.first([pieceOf({ bytes: Buffer.from(text), kind: "text" })])) ?? null;
}

/** Base64, armor and uuencode: without them a text says no more than `findLeak` reads. */
const ENCODED_DATA = /[A-Za-z0-9+/_-]{16}|^begin [0-7]{3,4} /m;

/** Whether a text may hold data that only `searchTypedText` reads. */
export function holdsEncodedData(text: string): boolean {
  return ENCODED_DATA.test(text);
}

function searchFor(destinations: readonly string[], limits: UnpackLimits): LeakSearch | null {
  const patterns = mailboxPatterns(destinations);
  return patterns.length === 0 ? null : new LeakSearch(patterns, new UnpackBudget(limits));
}

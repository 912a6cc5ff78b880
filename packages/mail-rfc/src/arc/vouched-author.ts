/**
 * Which author the last sealer of an ARC chain vouches for. A valid chain says that the sealer saw this message; it does
 * not say when, nor that the author whom a mail program displays is the one that the sealer checked.
 */
import type { ReadSignature } from "../dkim/read-signature.ts";
import { readTags, type Tags, tagText } from "../dkim/tag-list.ts";
import { unicodeValue } from "../header/raw-fields.ts";
import { dmarcPassAuthor } from "./arc-results.ts";
import type { ArcSet } from "./read-chain.ts";
import { arcKeyName } from "./verify-chain.ts";

/** Milliseconds for which a sealer's statement counts: a message that was sealed once must not be resent for ever. */
const AGE_MAX_MS = 7 * 86_400_000;
/** Milliseconds by which the sealer's clock may be ahead of ours. */
const AHEAD_MAX_MS = 5 * 60_000;
/** Milliseconds by which the author's clock may be ahead of ours. */
const DATE_AHEAD_MAX_MS = 86_400_000;
/** A time in seconds since 1970 (RFC 6376 §3.5). */
const TIME = /^\d{1,12}$/;

/**
 * The statement counts only if the message signature covers From and the whole body, is of the sealer itself, and was
 * made within the last seven days. Whether chain and signature are valid is not checked here.
 * @param newest the last ARC set
 * @param signature its message signature
 * @param date time of the Date field that the message signature covers, for sealers that write no time of their own; NaN
 * when there is none. Milliseconds since 1970, as `now`
 * @returns the author's domain in A-labels and lower case; empty when the sealer vouches for nobody
 */
export function vouchedAuthor(
  newest: ArcSet,
  { signature, date, now }: { signature: Pick<ReadSignature, "domain" | "names" | "limit">; date: number; now: number },
): string {
  const { domain, names, limit } = signature;
  const isOfSealer = arcKeyName(newest)?.domain === domain;
  if (!isOfSealer || !names.includes("from") || limit !== null) return "";
  const times = [newest.sealTags, readTags(unicodeValue(newest.message))].filter((tags) => tags.has("t"));
  const isInTime = times.length > 0 ? times.every((tags) => isRecent(tags, now)) : isRecentDate(date, now);
  return isInTime ? dmarcPassAuthor(unicodeValue(newest.results)) : "";
}

/** An author's clock is less exact than a sealer's. */
function isRecentDate(date: number, now: number): boolean {
  return now - date <= AGE_MAX_MS && date - now <= DATE_AHEAD_MAX_MS;
}

function isRecent(tags: Tags, now: number): boolean {
  const text = tagText(tags, "t");
  const age = now - Number(text) * 1000;
  return TIME.test(text) && age <= AGE_MAX_MS && age >= -AHEAD_MAX_MS;
}

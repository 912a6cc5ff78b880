/**
 * Day stamp of SRS and bounce addresses: days since 1970 modulo 1024 as two base32 characters, valid for
 * SRS_MAX_AGE_DAYS.
 */

/** Days a stamp is valid; longer than any mail host retries delivery (RFC 5321 §4.5.4.1 recommends 4 to 5 days). */
export const SRS_MAX_AGE_DAYS = 21;

const DAY_MS = 86_400_000;
const STAMP_DAYS = 1024;
const STAMP_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export function srsStamp(now: Date): string {
  const day = Math.floor(now.getTime() / DAY_MS) % STAMP_DAYS;
  return `${STAMP_ALPHABET[day >> 5]}${STAMP_ALPHABET[day & 31]}`;
}

/**
 * Whether a stamp is at most SRS_MAX_AGE_DAYS old. One of tomorrow is valid too, since clocks of two machines may
 * differ.
 * @param stamp two base32 characters in any case
 */
export function isSrsStampFresh(stamp: string, now: Date): boolean {
  const [high = "", low = ""] = stamp.toUpperCase();
  const day = STAMP_ALPHABET.indexOf(high) * 32 + STAMP_ALPHABET.indexOf(low);
  const age = (Math.floor(now.getTime() / DAY_MS) - day + 1 + STAMP_DAYS) % STAMP_DAYS;
  return age <= SRS_MAX_AGE_DAYS + 1;
}

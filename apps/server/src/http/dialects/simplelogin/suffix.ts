/**
 * Endings of aliases that clients compatible with SimpleLogin offer: the client shows some, its user picks one and
 * types what comes before it. Each is signed for its account and for a while, so that a client creates aliases only
 * with endings that were offered. Pure, but for the randomness that it is given.
 */
import { timingSafeEqual } from "node:crypto";
import { aliasWords } from "@kauke/contract/alias-words";
import type { Random } from "../../../core/ports.ts";

/** HMAC-SHA-256 under a server key that is used for these endings only. */
export type SuffixMac = (data: string) => Buffer;

export interface SuffixOwner {
  mac: SuffixMac;
  userId: string;
  now: Date;
}

const VALID_SECONDS = 600;
const MAC_BYTES = 16;
/** Time in seconds in base 36, and the MAC in base64url, both after a dot. */
const SIGNED = /^(.{2,400})\.([0-9a-z]{1,9})\.([A-Za-z0-9_-]{22})$/;

/**
 * Endings to offer, the default domain first. Those with a word and two digits keep common names free for others.
 * @returns e.g. `.harbour42@kauke.test`, `@kauke.test`
 */
export function offeredSuffixes(random: Random, domains: readonly string[], defaultDomain: string): string[] {
  const ordered = [defaultDomain, ...domains.filter((domain) => domain !== defaultDomain)];
  return ordered.flatMap((domain) => [`.${wordWithDigits(random)}@${domain}`, `@${domain}`]);
}

/** Not evenly distributed by a hair, which does not matter: the word separates names, it keeps no secret. */
function wordWithDigits(random: Random): string {
  const word = aliasWords[random.bytes(4).readUInt32BE() % aliasWords.length];
  const digits = random.bytes(4).readUInt32BE() % 100;
  return `${word}${String(digits).padStart(2, "0")}`;
}

/** @returns e.g. `@kauke.test.tdn2rk.1v3c…` */
export function signSuffix({ mac, userId, now }: SuffixOwner, suffix: string): string {
  const time = Math.floor(now.getTime() / 1000).toString(36);
  return `${suffix}.${time}.${codeOf(mac, { userId, suffix, time }).toString("base64url")}`;
}

export type ReadSuffix = { kind: "valid"; suffix: string } | { kind: "expired" } | { kind: "tampered" };

/** Checks a signed ending that a client sends back. */
export function readSuffix({ mac, userId, now }: SuffixOwner, signed: string): ReadSuffix {
  const [, suffix, time, given] = SIGNED.exec(signed) ?? [];
  if (suffix === undefined || time === undefined || given === undefined) return { kind: "tampered" };
  if (!timingSafeEqual(codeOf(mac, { userId, suffix, time }), Buffer.from(given, "base64url")))
    return { kind: "tampered" };
  const age = now.getTime() / 1000 - Number.parseInt(time, 36);
  return age > VALID_SECONDS ? { kind: "expired" } : { kind: "valid", suffix };
}

function codeOf(mac: SuffixMac, { userId, suffix, time }: { userId: string; suffix: string; time: string }): Buffer {
  return mac(JSON.stringify([userId, suffix, time])).subarray(0, MAC_BYTES);
}

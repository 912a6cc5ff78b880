/**
 * Alias endings (suffixes) offered to clients compatible with SimpleLogin: the user picks one and types what comes
 * before it. Each ending is signed for its account and valid for a limited time, so that a client creates aliases only
 * with endings that were offered. Pure, given a source of randomness.
 */
import { timingSafeEqual } from "node:crypto";
import { aliasWords } from "@kauke/contract/alias-words";
import type { Random } from "../../../runtime/ports.ts";

/** HMAC-SHA-256 under a server key that is used for signing alias endings only. */
export type SuffixMac = (data: string) => Buffer;

export interface SuffixOwner {
  mac: SuffixMac;
  userId: string;
  now: Date;
}

const VALID_SECONDS = 600;
const MAC_BYTES = 16;
/**
 * A signed ending: the ending, the time of signing in seconds (base 36), and the MAC (base64url), separated by dots.
 */
const SIGNED = /^(.{2,400})\.([0-9a-z]{1,9})\.([A-Za-z0-9_-]{22})$/;

/**
 * Endings to offer, those of the default domain first. Endings with a word and two digits leave common names free for
 * other users.
 * @returns e.g. `.harbour42@kauke.test`, `@kauke.test`
 */
export function offeredSuffixes(random: Random, domains: readonly string[], defaultDomain: string): string[] {
  const ordered = [defaultDomain, ...domains.filter((domain) => domain !== defaultDomain)];
  return ordered.flatMap((domain) => [`.${wordWithDigits(random)}@${domain}`, `@${domain}`]);
}

/**
 * The modulo makes some words and digits minimally more likely. That does not matter, since the word only distinguishes
 * names and is no secret.
 */
function wordWithDigits(random: Random): string {
  const word = aliasWords[random.bytes(4).readUInt32BE() % aliasWords.length];
  const digits = random.bytes(4).readUInt32BE() % 100;
  return `${word}${String(digits).padStart(2, "0")}`;
}

/**
 * Signs an ending.
 * @returns e.g. `@kauke.test.tdn2rk.1v3c…`
 */
export function signSuffix({ mac, userId, now }: SuffixOwner, suffix: string): string {
  const time = Math.floor(now.getTime() / 1000).toString(36);
  return `${suffix}.${time}.${codeOf(mac, { userId, suffix, time }).toString("base64url")}`;
}

export type ReadSuffix = { kind: "valid"; suffix: string } | { kind: "expired" } | { kind: "tampered" };

/** Verifies a signed ending that a client sends back. */
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

/** A cookie entry per account: a token, and MACs of e-mail and password time, so that a new password invalidates it. */

import { timingSafeEqual } from "node:crypto";
import { bounds } from "../../limits/table.ts";
import type { Random } from "../../runtime/ports.ts";
import type { User } from "../user/user.ts";

/** HMAC-SHA-256 under a server key of its own. */
export type BrowserMac = (data: string) => Buffer;

export interface KnownBrowserEntry {
  token: Buffer;
  account: Buffer;
  standing: Buffer;
}

const PART_BYTES = 16;
const ENTRY_BYTES = 3 * PART_BYTES;
const COOKIE = /^[A-Za-z0-9_-]{64,320}$/;

/** Key of an account in the limits of sign-in attempts: its e-mail in NFC and lower case. */
export function accountName(email: string): string {
  return email.normalize("NFC").toLowerCase();
}

/** An entry that this server made for the e-mail; check it with `isStanding`. */
export function findEntry(mac: BrowserMac, cookie: string | null, email: string): KnownBrowserEntry | null {
  return (
    readEntries(cookie).find((entry) => timingSafeEqual(entry.account, accountCode(mac, entry.token, email))) ?? null
  );
}

/** Whether the entry is valid: not after a change of password, nor for another account with the same e-mail. */
export function isStanding(mac: BrowserMac, entry: KnownBrowserEntry, user: User): boolean {
  return timingSafeEqual(entry.standing, standingCode(mac, entry.token, user));
}

/** Puts the account first and evicts the oldest above five. @returns the cookie's new value */
export function withAccount(
  { browserMac: mac, random }: { browserMac: BrowserMac; random: Random },
  cookie: string | null,
  user: User & { email: string },
): string {
  const token = random.bytes(PART_BYTES);
  const own = { token, account: accountCode(mac, token, user.email), standing: standingCode(mac, token, user) };
  const former = findEntry(mac, cookie, user.email);
  const others = readEntries(cookie).filter((entry) => former === null || !entry.token.equals(former.token));
  const entries = [own, ...others].slice(0, bounds.knownBrowsers.browserEntries);
  return Buffer.concat(entries.flatMap((entry) => [entry.token, entry.account, entry.standing])).toString("base64url");
}

function readEntries(cookie: string | null): KnownBrowserEntry[] {
  if (cookie === null || !COOKIE.test(cookie) || cookie.length % 64 !== 0) return [];
  const bytes = Buffer.from(cookie, "base64url");
  return Array.from({ length: bytes.length / ENTRY_BYTES }, (_, index) => {
    const part = (at: number) => bytes.subarray(index * ENTRY_BYTES + at * PART_BYTES).subarray(0, PART_BYTES);
    return { token: part(0), account: part(1), standing: part(2) };
  });
}

const accountCode = (mac: BrowserMac, token: Buffer, email: string) =>
  code(mac, ["account", token.toString("hex"), accountName(email)]);

const standingCode = (mac: BrowserMac, token: Buffer, { id, passwordSetAt }: User) =>
  code(mac, ["standing", token.toString("hex"), id, passwordSetAt?.toISOString() ?? ""]);

const code = (mac: BrowserMac, parts: string[]) => mac(JSON.stringify(parts)).subarray(0, PART_BYTES);

/**
 * Browsers that have signed in to an account before. Their cookie holds up to five entries, one for each account, of 48 bytes:
 * a random token, and two codes under a key of the server. The first says for which e-mail it is, the second that neither the
 * account nor its password has changed since. Nobody can read the account from it or make an entry; the server keeps none, only
 * counts of failed tries. Pure.
 */
import { timingSafeEqual } from "node:crypto";
import type { Random } from "../ports.ts";
import type { User } from "../user/user.ts";

/** HMAC-SHA-256 under a key that serves nothing else. */
export type BrowserMac = (data: string) => Buffer;

export interface KnownBrowserEntry {
  token: Buffer;
  account: Buffer;
  standing: Buffer;
}

const PART_BYTES = 16;
const ENTRY_BYTES = 3 * PART_BYTES;
const ENTRIES_MAX = 5;
const COOKIE = /^[A-Za-z0-9_-]{64,320}$/;

/** How an account is named where tries at it are counted. */
export function accountName(email: string): string {
  return email.normalize("NFC").toLowerCase();
}

/** @returns the entry for this e-mail if the server made it; whether it still counts only the account can tell */
export function findEntry(mac: BrowserMac, cookie: string | null, email: string): KnownBrowserEntry | null {
  return readEntries(cookie).find((it) => timingSafeEqual(it.account, accountCode(mac, it.token, email))) ?? null;
}

/** @returns false once the password was changed or reset, and for another account with the same e-mail */
export function isStanding(mac: BrowserMac, entry: KnownBrowserEntry, user: User): boolean {
  return timingSafeEqual(entry.standing, standingCode(mac, entry.token, user));
}

/** @returns the cookie with a new entry for this account in front; the one it had and the oldest beyond five are left out */
export function withAccount(
  { browserMac: mac, random }: { browserMac: BrowserMac; random: Random },
  cookie: string | null,
  user: User & { email: string },
): string {
  const token = random.bytes(PART_BYTES);
  const own = { token, account: accountCode(mac, token, user.email), standing: standingCode(mac, token, user) };
  const former = findEntry(mac, cookie, user.email);
  const others = readEntries(cookie).filter((it) => former === null || !it.token.equals(former.token));
  const entries = [own, ...others].slice(0, ENTRIES_MAX);
  return Buffer.concat(entries.flatMap((it) => [it.token, it.account, it.standing])).toString("base64url");
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

/**
 * Sender Rewriting Scheme: makes a foreign envelope sender one of ours, so that SPF passes for us and bounces come back to us
 * (SRS0 for a first forwarder, SRS1 after another's SRS). Pure: key, clock and domains come in; nothing is stored.
 *
 * Hash: 8 base32 signs, 40 bits of the caller's keyed hash over the lower-cased rest, where other programs use 4 base64
 * signs (24 bits, weaker yet when compared without case). Stamp: days modulo 1024, two base32 signs.
 */
import { timingSafeEqual } from "node:crypto";
import { toBase32 } from "./base32.ts";
import { LOCAL_MAX_OCTETS, quoteLocal, unquoteLocal } from "./local-part.ts";
import { MailSyntaxError } from "./mail-syntax-error.ts";

export const SRS_MAX_AGE_DAYS = 21;

/** A keyed hash, e.g. HMAC-SHA-256, of at least 5 bytes. */
export type SrsHash = (data: string) => Buffer;

export interface SrsContext {
  /** Domain of the addresses made, lower case. */
  domain: string;
  isOurDomain: (domain: string) => boolean;
  /** The first signs; all are believed. */
  hashes: readonly [SrsHash, ...SrsHash[]];
  now: Date;
}

const PATH_MAX_OCTETS = 256;
const HASH_BYTES = 5;
const DAY_MS = 86_400_000;
const STAMP_DAYS = 1024;
const STAMP_SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const SRS0 = /^SRS0[=+-]([^=]+)=([A-Z2-7]{2})=([^=]+)=(.*)$/isu;
const SRS1 = /^SRS1[=+-]([^=]+)=([^=]+)=([=+-].*)$/isu;

type Kind = "SRS0" | "SRS1";

/**
 * Rewrites a foreign envelope sender to our domain, so SPF passes for us and bounces return to us.
 * @param envelopeFrom canonical address; the null sender is returned unchanged (RFC 5321 §4.5.5), and so is an address of ours
 * @returns e.g. `SRS0=k7dq2mxa=TT=example.org=ann@alias.test`; another's SRS0 or SRS1 becomes our SRS1
 * @throws MailSyntaxError `path_too_long` when the local part would exceed 64 octets or the path 256 (RFC 5321 §4.5.3.1)
 */
export function srsForward(envelopeFrom: string, context: SrsContext): string {
  if (envelopeFrom === "") return "";
  const { local, domain } = splitAddress(envelopeFrom);
  if (context.isOurDomain(domain)) return envelopeFrom;
  const { kind, body } = bodyFor(unquoteLocal(local), domain, context.now);
  const hash = hashOf(context.hashes[0], kind, body);
  return joinAddress(quoteLocal(`${kind}=${hash}=${body}`), context.domain);
}

/**
 * Reads an address `srsForward` made, whatever became of its case on the way.
 * @returns the address a bounce goes to: the original sender, or for SRS1 the first forwarder's SRS0; `null` when the address
 * is not ours, not SRS, forged, or older than SRS_MAX_AGE_DAYS
 */
export function srsReverse(address: string, context: SrsContext): string | null {
  const { local, domain } = splitAddress(address);
  if (!context.isOurDomain(domain)) return null;
  const meaning = unquoteLocal(local);
  return reverseSrs0(meaning, context) ?? reverseSrs1(meaning, context);
}

/** Whether a local part looks like SRS, valid or not. */
export function isSrs(local: string): boolean {
  return /^"?SRS[01][=+-]/i.test(local);
}

/** A first forwarder signs the sender, a second only names the first, and every later one does as the second. */
function bodyFor(meaning: string, domain: string, now: Date): { kind: Kind; body: string } {
  const [, , first, rest] = SRS1.exec(meaning) ?? [];
  if (first !== undefined) return { kind: "SRS1", body: `${first}=${rest}` };
  if (/^SRS0[=+-]/i.test(meaning)) return { kind: "SRS1", body: `${domain}=${meaning.slice(4)}` };
  return { kind: "SRS0", body: `${stampOf(now)}=${domain}=${meaning}` };
}

function reverseSrs0(meaning: string, context: SrsContext): string | null {
  const [, hash = "", stamp = "", host = "", user = ""] = SRS0.exec(meaning) ?? [];
  if (host === "" || !isStampFresh(stamp, context.now)) return null;
  if (!isSigned("SRS0", `${stamp}=${host}=${user}`, hash, context)) return null;
  return `${quoteLocal(user)}@${host.toLowerCase()}`;
}

function reverseSrs1(meaning: string, context: SrsContext): string | null {
  const [, hash = "", first = "", rest = ""] = SRS1.exec(meaning) ?? [];
  if (first === "" || !isSigned("SRS1", `${first}=${rest}`, hash, context)) return null;
  return `${quoteLocal(`SRS0${rest}`)}@${first.toLowerCase()}`;
}

function isSigned(kind: Kind, body: string, hash: string, context: SrsContext): boolean {
  const given = Buffer.from(hash.toLowerCase());
  return context.hashes.some((sign) => {
    const wanted = Buffer.from(hashOf(sign, kind, body));
    return wanted.length === given.length && timingSafeEqual(wanted, given);
  });
}

function hashOf(sign: SrsHash, kind: Kind, body: string): string {
  return toBase32(sign(`${kind}=${body}`.toLowerCase()).subarray(0, HASH_BYTES));
}

function stampOf(now: Date): string {
  const day = Math.floor(now.getTime() / DAY_MS) % STAMP_DAYS;
  return `${STAMP_SIGNS[day >> 5]}${STAMP_SIGNS[day & 31]}`;
}

/** One day ahead counts as fresh: two machines need not agree on midnight. */
function isStampFresh(stamp: string, now: Date): boolean {
  const [high = "", low = ""] = stamp.toUpperCase();
  const day = STAMP_SIGNS.indexOf(high) * 32 + STAMP_SIGNS.indexOf(low);
  const age = (Math.floor(now.getTime() / DAY_MS) - day + 1 + STAMP_DAYS) % STAMP_DAYS;
  return age <= SRS_MAX_AGE_DAYS + 1;
}

function splitAddress(address: string): { local: string; domain: string } {
  const at = address.lastIndexOf("@");
  if (at < 1 || at === address.length - 1) throw new MailSyntaxError("path_syntax");
  return { local: address.slice(0, at), domain: address.slice(at + 1).toLowerCase() };
}

function joinAddress(local: string, domain: string): string {
  const address = `${local}@${domain}`;
  if (Buffer.byteLength(local) > LOCAL_MAX_OCTETS || Buffer.byteLength(address) + 2 > PATH_MAX_OCTETS)
    throw new MailSyntaxError("path_too_long");
  return address;
}

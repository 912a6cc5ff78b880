/**
 * Sender Rewriting Scheme: rewrites a remote envelope sender to an address at our domain, so that SPF passes for us and
 * bounces return to us (SRS0 for the first forwarder, SRS1 after another forwarder's SRS). Stores nothing; key, clock
 * and domains are parameters.
 *
 * Hash: 8 base32 characters, 40 bits of the caller's keyed hash over the rest in lower case. Other programs use 4
 * base64 characters, which are 24 bits, and fewer when compared without case. Stamp: days modulo 1024, two base32
 * characters.
 *
 * A bound address belongs to one subject (the alias that forwarded): the hash also covers the subject's id and our
 * domain, and a hint of 6 characters after the hash narrows the search for the subject. In SRS1 the stamp follows the
 * hint, since other forwarders parse the rest of SRS1. Both are part of the hash field, which other programs do not
 * parse.
 */

import { timingSafeEqual } from "node:crypto";
import { toBase32 } from "../base32.ts";
import { MailSyntaxError } from "../mail-syntax-error.ts";
import { LOCAL_MAX_OCTETS, quoteLocal, spellLocal, unquoteLocal } from "./local-part.ts";
import { splitAddress } from "./split-address.ts";
import { isSrsStampFresh, srsStamp } from "./srs-stamp.ts";

/** A keyed hash, e.g. HMAC-SHA-256, of at least 5 bytes. */
export type SrsHash = (data: string) => Buffer;

export interface SrsContext {
  /** Domain of the addresses to be made, in lower case. */
  domain: string;
  isOurDomain: (domain: string) => boolean;
  /** Keyed hashes: the first signs new addresses, any of them verifies. */
  hashes: readonly [SrsHash, ...SrsHash[]];
  now: Date;
}

/** The alias to which a bound address belongs. */
export interface SrsSubject {
  id: string;
  /** SRS_HINT_CHARACTERS base32 characters that narrow the search for `id`; they need not be unique. */
  hint: string;
}

/** A parsed SRS address that is bound to an alias, before that binding is verified. */
export interface BoundSrs {
  /** Address to forward a bounce to. Must not be used before `isBoundTo` has confirmed the subject. */
  sender: string;
  /** Hint of the subject, in lower case. */
  hint: string;
  /** Whether we issued the address for this subject. Compares in constant time. */
  isBoundTo(subjectId: string): boolean;
}

export const SRS_HINT_CHARACTERS = 6;

const PATH_MAX_OCTETS = 256;
const HASH_BYTES = 5;
const SRS0 = /^SRS0[=+-]([^=]+)=([A-Z2-7]{2})=([^=]+)=(.*)$/isu;
const SRS1 = /^SRS1[=+-]([^=]+)=([^=]+)=([=+-].*)$/isu;
/** Hash field of a bound address: hash, hint and, in SRS1, the stamp. */
const BOUND0 = /^([a-z2-7]{8})([a-z2-7]{6})$/i;
const BOUND1 = /^([a-z2-7]{8})([a-z2-7]{6})([A-Z2-7]{2})$/i;

type Kind = "SRS0" | "SRS1";

/**
 * Rewrites a remote envelope sender to our domain, so that SPF passes for us and bounces return to us.
 * @param envelopeFrom canonical address; the null sender (RFC 5321 §4.5.5) and addresses at our domains are returned
 * unchanged
 * @param subject alias to which the address is bound; absent for plain SRS
 * @returns e.g. `SRS0=k7dq2mxabcdefg=TT=example.org=ann@alias.test`; another forwarder's SRS0 or SRS1 becomes our SRS1
 * @throws MailSyntaxError `path_too_long` when the local part would exceed 64 octets or the path 256 (RFC 5321
 * §4.5.3.1)
 */
export function srsForward(envelopeFrom: string, context: SrsContext, subject?: SrsSubject): string {
  if (envelopeFrom === "") return "";
  const { local, domain } = splitMailbox(envelopeFrom);
  if (context.isOurDomain(domain)) return envelopeFrom;
  const { kind, body } = bodyFor(userOf(local), domain, context.now);
  const field =
    subject === undefined ? hashOf(context.hashes[0], kind, body) : boundField({ kind, body, subject, context });
  return joinAddress(quoteLocal(`${kind}=${field}=${body}`), context.domain);
}

/**
 * Parses a bound address; changes of letter case on the way do not matter.
 * @returns `null` when the address is not ours, not bound, or older than SRS_MAX_AGE_DAYS
 */
export function readBoundSrs(address: string, context: SrsContext): BoundSrs | null {
  const { local, domain } = splitMailbox(address);
  if (!context.isOurDomain(domain)) return null;
  const meaning = unquoteLocal(local);
  const read = readSrs0(meaning) ?? readSrs1(meaning);
  if (read === null || !isSrsStampFresh(read.stamp, context.now)) return null;
  const { kind, body, stamp, hash, hint, sender } = read;
  const isBoundTo = (id: string) =>
    context.hashes.some((sign) => isSame(hashOf(sign, kind, boundBody({ domain, id, stamp, body })), hash));
  return { sender, hint, isBoundTo };
}

function readSrs0(meaning: string) {
  const [, field = "", stamp = "", host = "", user = ""] = SRS0.exec(meaning) ?? [];
  const [, hash, hint] = BOUND0.exec(field) ?? [];
  if (hash === undefined || hint === undefined) return null;
  const sender = `${localOf(user)}@${host.toLowerCase()}`;
  return { kind: "SRS0" as const, body: `${stamp}=${host}=${user}`, stamp, hash, hint: hint.toLowerCase(), sender };
}

function readSrs1(meaning: string) {
  const [, field = "", first = "", rest = ""] = SRS1.exec(meaning) ?? [];
  const [, hash, hint, stamp] = BOUND1.exec(field) ?? [];
  if (hash === undefined || hint === undefined || stamp === undefined) return null;
  const sender = `${spellLocal(`SRS0${rest}`)}@${first.toLowerCase()}`;
  return { kind: "SRS1" as const, body: `${first}=${rest}`, stamp, hash, hint: hint.toLowerCase(), sender };
}

interface ToBind {
  kind: Kind;
  body: string;
  subject: SrsSubject;
  context: SrsContext;
}

function boundField({ kind, body, subject: { id, hint }, context: { hashes, domain, now } }: ToBind): string {
  const stamp = srsStamp(now);
  const hash = hashOf(hashes[0], kind, boundBody({ domain, id, stamp, body }));
  return kind === "SRS0" ? `${hash}${hint}` : `${hash}${hint}${stamp}`;
}

/**
 * Builds the text that the hash of a bound address covers. It begins with NUL, unlike that of a plain address, so that
 * a hash made for one form is never valid for the other.
 */
function boundBody({ domain, id, stamp, body }: { domain: string; id: string; stamp: string; body: string }): string {
  return `\0${domain}\0${id}\0${stamp}\0${body}`;
}

/**
 * Parses an address that `srsForward` made without a subject; changes of letter case on the way do not matter.
 * @returns the address a bounce is forwarded to: the original sender, or for SRS1 the first forwarder's SRS0; `null`
 * when the address is not ours, not SRS, forged, or older than SRS_MAX_AGE_DAYS
 */
export function srsReverse(address: string, context: SrsContext): string | null {
  const { local, domain } = splitMailbox(address);
  if (!context.isOurDomain(domain)) return null;
  const meaning = unquoteLocal(local);
  return reverseSrs0(meaning, context) ?? reverseSrs1(meaning, context);
}

/** Whether a local part looks like SRS, valid or not. */
export function isSrs(local: string): boolean {
  return /^"?SRS[01][=+-]/i.test(local);
}

/**
 * The first forwarder signs the sender (SRS0); the second and all later ones sign the first forwarder's address (SRS1).
 */
function bodyFor(meaning: string, domain: string, now: Date): { kind: Kind; body: string } {
  const [, , first, rest] = SRS1.exec(meaning) ?? [];
  if (first !== undefined) return { kind: "SRS1", body: `${first}=${rest}` };
  if (/^SRS0[=+-]/i.test(meaning)) return { kind: "SRS1", body: `${domain}=${meaning.slice(4)}` };
  return { kind: "SRS0", body: `${srsStamp(now)}=${domain}=${meaning}` };
}

function reverseSrs0(meaning: string, context: SrsContext): string | null {
  const [, hash = "", stamp = "", host = "", user = ""] = SRS0.exec(meaning) ?? [];
  if (host === "" || !isSrsStampFresh(stamp, context.now)) return null;
  if (!isSigned("SRS0", `${stamp}=${host}=${user}`, hash, context)) return null;
  return `${localOf(user)}@${host.toLowerCase()}`;
}

function reverseSrs1(meaning: string, context: SrsContext): string | null {
  const [, hash = "", first = "", rest = ""] = SRS1.exec(meaning) ?? [];
  if (first === "" || !isSigned("SRS1", `${first}=${rest}`, hash, context)) return null;
  return `${spellLocal(`SRS0${rest}`)}@${first.toLowerCase()}`;
}

/**
 * Writes a local part for SRS: without quotes, but for a quote before those that could stand without and came with them
 * (`"taro..yamada"`), so that `localOf` gives back the spelling. A quote that was there is doubled.
 */
function userOf(local: string): string {
  const meaning = unquoteLocal(local);
  if (meaning.startsWith('"')) return `"${meaning}`;
  return spellLocal(meaning) === local ? meaning : `"${meaning}`;
}

function localOf(user: string): string {
  if (user.startsWith('""') || !user.startsWith('"')) return spellLocal(user.replace(/^""/, '"'));
  return quoteLocal(user.slice(1));
}

function isSigned(kind: Kind, body: string, hash: string, context: SrsContext): boolean {
  return context.hashes.some((sign) => isSame(hashOf(sign, kind, body), hash));
}

function isSame(wanted: string, given: string): boolean {
  const [a, b] = [Buffer.from(wanted), Buffer.from(given.toLowerCase())];
  return a.length === b.length && timingSafeEqual(a, b);
}

function hashOf(sign: SrsHash, kind: Kind, body: string): string {
  return toBase32(sign(`${kind}=${body}`.toLowerCase()).subarray(0, HASH_BYTES));
}

function splitMailbox(address: string): { local: string; domain: string } {
  const { local, domain } = splitAddress(address);
  if (local === "" || domain === "") throw new MailSyntaxError("path_syntax");
  return { local, domain: domain.toLowerCase() };
}

function joinAddress(local: string, domain: string): string {
  const address = `${local}@${domain}`;
  if (Buffer.byteLength(local) > LOCAL_MAX_OCTETS || Buffer.byteLength(address) + 2 > PATH_MAX_OCTETS)
    throw new MailSyntaxError("path_too_long");
  return address;
}

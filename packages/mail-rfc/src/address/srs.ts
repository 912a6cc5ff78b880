/**
 * Sender Rewriting Scheme: a remote envelope sender becomes an address at our domain, so that SPF passes and bounces
 * return to us (SRS0; SRS1 after another forwarder's SRS). Nothing is stored.
 * Hash: 8 base32 characters, 40 bits. Stamp: days modulo 1024. In a bound address the hash also covers the alias' id
 * and our domain, and 6 characters after it narrow the search for the alias; in SRS1 the stamp follows them, since
 * other forwarders parse the rest.
 */
import { timingSafeEqual } from "node:crypto";
import { toBase32 } from "../base32.ts";
import { MailSyntaxError } from "../mail-syntax-error.ts";
import { LOCAL_MAX_OCTETS, quoteLocal, spellLocal, splitAddress, unquoteLocal } from "./address.ts";

/** Keyed hash of at least 5 bytes, e.g. HMAC-SHA-256. */
export type SrsHash = (data: string) => Buffer;

export interface SrsContext {
  domain: string;
  isOurDomain: (domain: string) => boolean;
  /** The first hash signs new addresses; any of them verifies. */
  hashes: readonly [SrsHash, ...SrsHash[]];
  now: Date;
}

export interface SrsSubject {
  id: string;
  /** The hint narrows the search for the alias and need not be unique. */
  hint: string;
}

interface BoundSrs {
  /** Sender of the address. Do not use it before `isBoundTo` has confirmed the subject. */
  sender: string;
  hint: string;
  /** Whether the address was made for this subject. Constant time. */
  isBoundTo(subjectId: string): boolean;
}

export const SRS_HINT_CHARACTERS = 6;

const PATH_MAX_OCTETS = 256;
const HASH_BYTES = 5;
const SRS0 = /^SRS0[=+-]([^=]+)=([A-Z2-7]{2})=([^=]+)=(.*)$/isu;
const SRS1 = /^SRS1[=+-]([^=]+)=([^=]+)=([=+-].*)$/isu;
const BOUND0 = /^([a-z2-7]{8})([a-z2-7]{6})$/i;
const BOUND1 = /^([a-z2-7]{8})([a-z2-7]{6})([A-Z2-7]{2})$/i;

type Kind = "SRS0" | "SRS1";

/**
 * Makes e.g. `SRS0=k7dq2mxabcdefg=TT=example.org=ann@alias.test`; the null sender and our own addresses stay.
 * @param subject alias to bind the address to; absent for plain SRS
 * @throws MailSyntaxError `path_too_long` above 64 octets of local part or 256 of path (RFC 5321 §4.5.3.1)
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

/** @returns `null` unless the address is ours, bound and at most SRS_MAX_AGE_DAYS old */
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

/** Text to hash for a bound address; the NUL in front keeps it different from that of a plain address. */
function boundBody({ domain, id, stamp, body }: { domain: string; id: string; stamp: string; body: string }): string {
  return `\0${domain}\0${id}\0${stamp}\0${body}`;
}

/** Reverses `srsForward` without a subject, in any letter case. @returns `null` for a forged or old address */
export function srsReverse(address: string, context: SrsContext): string | null {
  const { local, domain } = splitMailbox(address);
  if (!context.isOurDomain(domain)) return null;
  const meaning = unquoteLocal(local);
  return reverseSrs0(meaning, context) ?? reverseSrs1(meaning, context);
}

export function isSrs(local: string): boolean {
  return /^"?SRS[01][=+-]/i.test(local);
}

/** The first forwarder signs the sender (SRS0), all later ones the first forwarder's address (SRS1). */
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

/** Local part without unnecessary quotes, so that `localOf` restores the spelling. */
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

/** Days for which bounces are accepted, longer than hosts retry (RFC 5321 §4.5.4.1: 4 to 5 days). */
export const SRS_MAX_AGE_DAYS = 21;

const DAY_MS = 86_400_000;
const STAMP_DAYS = 1024;
const STAMP_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export function srsStamp(now: Date): string {
  const day = Math.floor(now.getTime() / DAY_MS) % STAMP_DAYS;
  return `${STAMP_ALPHABET[day >> 5]}${STAMP_ALPHABET[day & 31]}`;
}

/** Whether a stamp is recent; tomorrow's is too, since clocks of two machines may differ. */
export function isSrsStampFresh(stamp: string, now: Date): boolean {
  const [high = "", low = ""] = stamp.toUpperCase();
  const day = STAMP_ALPHABET.indexOf(high) * 32 + STAMP_ALPHABET.indexOf(low);
  const age = (Math.floor(now.getTime() / DAY_MS) - day + 1 + STAMP_DAYS) % STAMP_DAYS;
  return age <= SRS_MAX_AGE_DAYS + 1;
}

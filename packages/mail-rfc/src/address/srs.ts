/**
 * Sender Rewriting Scheme: makes a foreign envelope sender one of ours, so that SPF passes for us and bounces come back to us
 * (SRS0 for a first forwarder, SRS1 after another's SRS). Pure: key, clock and domains come in; nothing is stored.
 *
 * Hash: 8 base32 signs, 40 bits of the caller's keyed hash over the lower-cased rest, where other programs use 4 base64
 * signs (24 bits, weaker yet when compared without case). Stamp: days modulo 1024, two base32 signs.
 *
 * A bound address belongs to one subject (the alias that forwarded): the hash covers the subject's id and our domain as well,
 * and a hint of 6 signs behind the hash finds the subject again. In SRS1 the stamp follows the hint, since the rest of SRS1
 * is read by other forwarders. Both stand within the hash field, which other programs do not read.
 */

import { timingSafeEqual } from "node:crypto";
import { toBase32 } from "../base32.ts";
import { MailSyntaxError } from "../mail-syntax-error.ts";
import { LOCAL_MAX_OCTETS, quoteLocal, unquoteLocal } from "./local-part.ts";
import { splitAddress } from "./split-address.ts";
import { isSrsStampFresh, srsStamp } from "./srs-stamp.ts";

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

/** Whose address it is. */
export interface SrsSubject {
  id: string;
  /** SRS_HINT_SIGNS base32 signs that narrow the search for `id`; they need not be unique. */
  hint: string;
}

/** A bound address that was read, but whose subject is not known yet. */
export interface BoundSrs {
  /** The address to send a bounce on to. Not to be used before `isBoundTo` has confirmed it. */
  sender: string;
  /** Lower case. */
  hint: string;
  /** Whether we made the address, and for this subject. Compares in constant time. */
  isBoundTo(subjectId: string): boolean;
}

export const SRS_HINT_SIGNS = 6;

const PATH_MAX_OCTETS = 256;
const HASH_BYTES = 5;
const SRS0 = /^SRS0[=+-]([^=]+)=([A-Z2-7]{2})=([^=]+)=(.*)$/isu;
const SRS1 = /^SRS1[=+-]([^=]+)=([^=]+)=([=+-].*)$/isu;
/** What the hash field of a bound address holds: hash, hint and, in SRS1, the stamp. */
const BOUND0 = /^([a-z2-7]{8})([a-z2-7]{6})$/i;
const BOUND1 = /^([a-z2-7]{8})([a-z2-7]{6})([A-Z2-7]{2})$/i;

type Kind = "SRS0" | "SRS1";

/**
 * Rewrites a foreign envelope sender to our domain, so SPF passes for us and bounces return to us.
 * @param envelopeFrom canonical address; the null sender is returned unchanged (RFC 5321 §4.5.5), and so is an address of ours
 * @param subject whom the address is bound to; absent: plain SRS
 * @returns e.g. `SRS0=k7dq2mxabcdefg=TT=example.org=ann@alias.test`; another's SRS0 or SRS1 becomes our SRS1
 * @throws MailSyntaxError `path_too_long` when the local part would exceed 64 octets or the path 256 (RFC 5321 §4.5.3.1)
 */
export function srsForward(envelopeFrom: string, context: SrsContext, subject?: SrsSubject): string {
  if (envelopeFrom === "") return "";
  const { local, domain } = splitMailbox(envelopeFrom);
  if (context.isOurDomain(domain)) return envelopeFrom;
  const { kind, body } = bodyFor(unquoteLocal(local), domain, context.now);
  const field =
    subject === undefined ? hashOf(context.hashes[0], kind, body) : boundField({ kind, body, subject, context });
  return joinAddress(quoteLocal(`${kind}=${field}=${body}`), context.domain);
}

/**
 * Reads a bound address, whatever became of its case on the way.
 * @returns `null` when the address is not ours, not a bound one, or older than SRS_MAX_AGE_DAYS
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
  const sender = `${quoteLocal(user)}@${host.toLowerCase()}`;
  return { kind: "SRS0" as const, body: `${stamp}=${host}=${user}`, stamp, hash, hint: hint.toLowerCase(), sender };
}

function readSrs1(meaning: string) {
  const [, field = "", first = "", rest = ""] = SRS1.exec(meaning) ?? [];
  const [, hash, hint, stamp] = BOUND1.exec(field) ?? [];
  if (hash === undefined || hint === undefined || stamp === undefined) return null;
  const sender = `${quoteLocal(`SRS0${rest}`)}@${first.toLowerCase()}`;
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

/** Begins as no plain body does: a hash made for one form never fits the other. */
function boundBody({ domain, id, stamp, body }: { domain: string; id: string; stamp: string; body: string }): string {
  return `\0${domain}\0${id}\0${stamp}\0${body}`;
}

/**
 * Reads an address that `srsForward` made without a subject, whatever became of its case on the way.
 * @returns the address a bounce goes to: the original sender, or for SRS1 the first forwarder's SRS0; `null` when the address
 * is not ours, not SRS, forged, or older than SRS_MAX_AGE_DAYS
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

/** A first forwarder signs the sender, a second only names the first, and every later one does as the second. */
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
  return `${quoteLocal(user)}@${host.toLowerCase()}`;
}

function reverseSrs1(meaning: string, context: SrsContext): string | null {
  const [, hash = "", first = "", rest = ""] = SRS1.exec(meaning) ?? [];
  if (first === "" || !isSigned("SRS1", `${first}=${rest}`, hash, context)) return null;
  return `${quoteLocal(`SRS0${rest}`)}@${first.toLowerCase()}`;
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

/**
 * Maps message identifiers of replies without a table. A Message-ID reveals a program, a host, often a domain. One made
 * by the owner's program is replaced by `<base32(sealed original)@alias domain>`; when that returns in References it is
 * replaced by the original, so that both sides see consistent threads. Sealing is deterministic (synthetic IV by
 * HMAC-SHA-256, then AES-256-CTR) under keys of the alias.
 *
 * In a reply, the owner's identifiers cannot be told from a correspondent's by their form. So mail to the owner carries
 * an additional identifier in References, the voucher, which consists of keyed hashes of the correspondents'
 * identifiers. In a reply those pass unchanged, and all others are sealed. Programs that don't copy References lose the
 * voucher; in their replies an identifier passes only if the owner's program can't have made it.
 */
import { isUtf8 } from "node:buffer";
import { createCipheriv, hkdfSync, timingSafeEqual } from "node:crypto";
import { canonicalDomain } from "../address/address.ts";
import { fromBase32, toBase32 } from "../base32.ts";
import { hmacSha256 } from "../hmac-sha256.ts";
import { hostOfMessageId, isBracketed } from "./message-id.ts";

export interface MessageIdKeys {
  /** Domain of the alias in lower case. */
  aliasDomain: string;
  macKey: Buffer;
  cipherKey: Buffer;
}

/** Identifiers in In-Reply-To and References, in order and as spelled, usually with brackets. */
export interface ThreadIds {
  inReplyTo: string[];
  references: string[];
}

/** What a reply tells about whose identifiers it names. */
export interface ThreadHosts {
  /** The reply's own Message-ID; `null` when it has none. */
  messageId: string | null;
  /** Domains of the owner's mailboxes, as A-labels in lower case like all here. */
  own: readonly string[];
  /** Domains of the people the reply is addressed to. */
  correspondents: readonly string[];
}

/** Maximum identifiers kept of a References field: the first one and the last of the rest. */
export const REFERENCES_MAX = 30;
/** Maximum characters of a sealed identifier before its "@". */
const LEFT_MAX = 200;
const IV_BYTES = 16;
const HASH_BYTES = 20;
/** Bytes of each keyed hash in a voucher. */
const VOUCH_BYTES = 5;
/** Maximum identifiers that a voucher covers. */
const VOUCHED_MAX = 20;
const BLANKS = /\s+/g;
/** Begins the sealed text of an identifier without brackets; no text between brackets contains it. */
const BARE = "<";
const VOUCHER = /^v\.([a-z2-7]+)$/i;

/** Derives the keys for an alias' message identifiers from its reply key. @param replyKey 32 random bytes */
export function messageIdKeys(replyKey: Buffer, aliasDomain: string): MessageIdKeys {
  const bytes = Buffer.from(hkdfSync("sha256", replyKey, "", "kauke message id v1", 64));
  return {
    aliasDomain: canonicalDomain(aliasDomain),
    macKey: bytes.subarray(0, 32),
    cipherKey: bytes.subarray(32),
  };
}

/**
 * Replaces an identifier of the owner's program. One at the alias' domain is returned unchanged; one too long to be
 * sealed in 200 characters becomes a keyed hash, which cannot be reversed.
 * @param id Message-ID, usually with brackets
 */
export function sealMessageId(id: string, keys: MessageIdKeys): string {
  if (isAtAlias(id, keys)) return id;
  const plain = isBracketed(id) ? id.slice(1, -1) : `${BARE}${id}`;
  const mac = macOf("seal", plain, keys);
  const iv = mac.subarray(0, IV_BYTES);
  const left = toBase32(Buffer.concat([iv, crypt(Buffer.from(plain), iv, keys)]));
  return bracketed(left.length <= LEFT_MAX ? left : toBase32(mac.subarray(0, HASH_BYTES)), keys);
}

/** Reverses `sealMessageId`. @returns `null` when it was not made with these keys or is only a hash */
export function openMessageId(sealed: string, keys: MessageIdKeys): string | null {
  if (!isAtAlias(sealed, keys)) return null;
  const bytes = fromBase32(leftOf(sealed));
  if (bytes === null || bytes.length <= IV_BYTES) return null;
  const iv = bytes.subarray(0, IV_BYTES);
  const plain = crypt(bytes.subarray(IV_BYTES), iv, keys);
  // Only text is ever sealed.
  if (!isUtf8(plain)) return null;
  const id = plain.toString("utf8");
  return timingSafeEqual(macOf("seal", id, keys).subarray(0, IV_BYTES), iv) ? spelled(id) : null;
}

const spelled = (plain: string) => (plain.startsWith(BARE) ? plain.slice(BARE.length) : `<${plain}>`);

/**
 * Builds the thread fields of mail to the owner: opens sealed identifiers and appends the voucher.
 * @param messageId identifiers in the mail's Message-ID, which is not changed
 */
export function threadForOwner(thread: ThreadIds, messageId: readonly string[], keys: MessageIdKeys): ThreadIds {
  const open = (id: string): string => openMessageId(id, keys) ?? id;
  const kept = shorten(thread.references.filter((id) => !isVoucher(id, keys)));
  const foreign = [...thread.inReplyTo, ...kept, ...messageId].filter((id) => !isAtAlias(id, keys));
  return {
    inReplyTo: thread.inReplyTo.filter((id) => !isVoucher(id, keys)).map(open),
    references: [...kept.map(open), ...voucher(foreign, keys)],
  };
}

/**
 * Builds the thread fields of a reply: keeps vouched identifiers, seals all others, removes vouchers and words that are
 * not vouched for, which are text of the owner's program.
 */
export function threadForCorrespondent(thread: ThreadIds, keys: MessageIdKeys, hosts: ThreadHosts): ThreadIds {
  const vouchers = thread.references.flatMap((id) => readVoucher(id, keys) ?? []);
  const vouched = new Set(vouchers);
  const passes = (id: string) =>
    vouched.has(vouchHash(id, keys)) || (vouchers.length === 0 && isCorrespondents(id, hosts));
  const outward = (ids: readonly string[]): string[] =>
    shorten(ids.filter((id) => !isVoucher(id, keys))).flatMap((id) => {
      if (passes(id)) return id;
      return isBracketed(id) ? sealMessageId(id, keys) : [];
    });
  return { inReplyTo: outward(thread.inReplyTo), references: outward(thread.references) };
}

/**
 * Whether an identifier that nothing vouches for is a correspondent's: it is at the host of one, where neither the
 * owner's mailbox nor this program is; or it has no "@", unlike this program's own. Large hosts name many machines in
 * identifiers (`prod.outlook.com`): where this program is at the correspondent's host, no other machine there counts.
 */
function isCorrespondents(id: string, { messageId, own, correspondents }: ThreadHosts): boolean {
  if (!isBracketed(id) || messageId === null) return false;
  const [host, ownHost] = [hostOfMessageId(id), hostOfMessageId(messageId)];
  if (ownHost === null || host === null) return ownHost !== null;
  const isOwn = [...own, ownHost].some((domain) => isRelated(host, domain));
  return !isOwn && correspondents.some((domain) => isRelated(host, domain) && !isRelated(ownHost, domain));
}

const isRelated = (one: string, other: string) => isWithin(one, other) || isWithin(other, one);

/** Whether a host name is a domain, of two labels or more, or below it. */
function isWithin(host: string, domain: string): boolean {
  return domain.includes(".") && (host === domain || host.endsWith(`.${domain}`));
}

/**
 * Shortens References: keeps the last identifiers, which programs evaluate, and the first, which identifies the thread.
 */
function shorten(ids: readonly string[]): string[] {
  return ids.length <= REFERENCES_MAX ? [...ids] : [...ids.slice(0, 1), ...ids.slice(1 - REFERENCES_MAX)];
}

function voucher(foreign: readonly string[], keys: MessageIdKeys): string[] {
  const hashes = [...new Set(foreign.map((id) => vouchHash(id, keys)))].slice(-VOUCHED_MAX);
  return hashes.length === 0 ? [] : [bracketed(`v.${hashes.join("")}`, keys)];
}

/**
 * Splits a voucher into its hashes of 40 bits, 8 base32 characters each. @returns `null` when the identifier is not a
 * voucher
 */
function readVoucher(id: string, keys: MessageIdKeys): string[] | null {
  const hashes = isAtAlias(id, keys) ? VOUCHER.exec(leftOf(id))?.[1] : undefined;
  return hashes === undefined ? null : (hashes.toLowerCase().match(/.{8}/g) ?? []);
}

function isVoucher(id: string, keys: MessageIdKeys): boolean {
  return readVoucher(id, keys) !== null;
}

/** Hashes an identifier without its brackets and blanks, which programs add and remove when they answer. */
function vouchHash(id: string, keys: MessageIdKeys): string {
  return toBase32(macOf("vouch", withoutBrackets(id).replace(BLANKS, ""), keys).subarray(0, VOUCH_BYTES));
}

function macOf(purpose: "seal" | "vouch", plain: string, keys: MessageIdKeys): Buffer {
  return hmacSha256(keys.macKey, `${purpose}\0${keys.aliasDomain}\0${plain}`);
}

function crypt(bytes: Buffer, iv: Buffer, keys: MessageIdKeys): Buffer {
  return createCipheriv("aes-256-ctr", keys.cipherKey, iv).update(bytes);
}

/** Whether an identifier is at the alias' domain. With a second "@" it could name another host before it. */
function isAtAlias(id: string, keys: MessageIdKeys): boolean {
  return hostOfMessageId(id) === keys.aliasDomain && id.indexOf("@") === id.lastIndexOf("@");
}

function leftOf(id: string): string {
  return withoutBrackets(id).split("@", 1)[0] ?? "";
}

function bracketed(left: string, keys: MessageIdKeys): string {
  return `<${left}@${keys.aliasDomain}>`;
}

function withoutBrackets(id: string): string {
  return id.trim().replace(/^<|>$/g, "");
}

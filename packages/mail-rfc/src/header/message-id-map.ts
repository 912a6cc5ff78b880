/**
 * Maps message identifiers of replies without a table. One that the owner's program made reveals program and host, so
 * it becomes `<base32(sealed original)@alias domain>` and is restored when it returns (HMAC-SHA-256 as synthetic IV,
 * AES-256-CTR, keys of the alias).
 * Mail to the owner carries a voucher in References: keyed hashes of the correspondents' identifiers, which pass
 * unchanged in a reply. Without it an identifier passes only if the owner's program can't have made it.
 */
import { isUtf8 } from "node:buffer";
import { createCipheriv, hkdfSync, timingSafeEqual } from "node:crypto";
import { canonicalDomain } from "../address/address.ts";
import { fromBase32, toBase32 } from "../base32.ts";
import { hmacSha256 } from "../hmac-sha256.ts";
import { hostOfMessageId, isBracketed } from "./message-id.ts";

export interface MessageIdKeys {
  aliasDomain: string;
  macKey: Buffer;
  cipherKey: Buffer;
}

export interface ThreadIds {
  inReplyTo: string[];
  references: string[];
}

export interface ThreadHosts {
  messageId: string | null;
  /** Domains of the owner's mailboxes as A-labels in lower case. */
  own: readonly string[];
  correspondents: readonly string[];
}

/** Maximum identifiers kept of a long References field: the first and the last ones. */
export const REFERENCES_MAX = 30;
const LEFT_MAX = 200;
const IV_BYTES = 16;
const HASH_BYTES = 20;
/** Bytes of each keyed hash in a voucher. */
const VOUCH_BYTES = 5;
const VOUCHED_MAX = 20;
const BLANKS = /\s+/g;
/** First byte of the sealed text of an identifier without brackets. */
const BARE = "<";
const VOUCHER = /^v\.([a-z2-7]+)$/i;

export function messageIdKeys(replyKey: Buffer, aliasDomain: string): MessageIdKeys {
  const bytes = Buffer.from(hkdfSync("sha256", replyKey, "", "kauke message id v1", 64));
  return {
    aliasDomain: canonicalDomain(aliasDomain),
    macKey: bytes.subarray(0, 32),
    cipherKey: bytes.subarray(32),
  };
}

/** Seals an identifier, except at the alias' domain; one above 200 characters becomes a one-way keyed hash. */
export function sealMessageId(id: string, keys: MessageIdKeys): string {
  if (isAtAlias(id, keys)) return id;
  const plain = isBracketed(id) ? id.slice(1, -1) : `${BARE}${id}`;
  const mac = macOf("seal", plain, keys);
  const iv = mac.subarray(0, IV_BYTES);
  const left = toBase32(Buffer.concat([iv, crypt(Buffer.from(plain), iv, keys)]));
  return bracketed(left.length <= LEFT_MAX ? left : toBase32(mac.subarray(0, HASH_BYTES)), keys);
}

/** Opens a sealed identifier; `null` when it was not made with these keys or is only a hash. */
export function openMessageId(sealed: string, keys: MessageIdKeys): string | null {
  if (!isAtAlias(sealed, keys)) return null;
  const bytes = fromBase32(leftOf(sealed));
  if (bytes === null || bytes.length <= IV_BYTES) return null;
  const iv = bytes.subarray(0, IV_BYTES);
  const plain = crypt(bytes.subarray(IV_BYTES), iv, keys);
  if (!isUtf8(plain)) return null;
  const id = plain.toString("utf8");
  return timingSafeEqual(macOf("seal", id, keys).subarray(0, IV_BYTES), iv) ? spelled(id) : null;
}

const spelled = (plain: string) => (plain.startsWith(BARE) ? plain.slice(BARE.length) : `<${plain}>`);

export function threadForOwner(thread: ThreadIds, messageId: readonly string[], keys: MessageIdKeys): ThreadIds {
  const open = (id: string): string => openMessageId(id, keys) ?? id;
  const kept = shorten(thread.references.filter((id) => !isVoucher(id, keys)));
  const foreign = [...thread.inReplyTo, ...kept, ...messageId].filter((id) => !isAtAlias(id, keys));
  return {
    inReplyTo: thread.inReplyTo.filter((id) => !isVoucher(id, keys)).map(open),
    references: [...kept.map(open), ...voucher(foreign, keys)],
  };
}

/** Keeps vouched identifiers, seals all others, removes vouchers and words that nothing vouches for. */
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
 * Whether an identifier without a voucher is a correspondent's: it is at their host, where neither the owner's mailbox
 * nor this program is, or it has no "@", unlike this program's own. Where this program is at the correspondent's host
 * (`prod.outlook.com`), no other machine counts.
 */
function isCorrespondents(id: string, { messageId, own, correspondents }: ThreadHosts): boolean {
  if (!isBracketed(id) || messageId === null) return false;
  const [host, ownHost] = [hostOfMessageId(id), hostOfMessageId(messageId)];
  if (ownHost === null || host === null) return ownHost !== null;
  const isOwn = [...own, ownHost].some((domain) => isRelated(host, domain));
  return !isOwn && correspondents.some((domain) => isRelated(host, domain) && !isRelated(ownHost, domain));
}

const isRelated = (one: string, other: string) => isWithin(one, other) || isWithin(other, one);

function isWithin(host: string, domain: string): boolean {
  return domain.includes(".") && (host === domain || host.endsWith(`.${domain}`));
}

/** Keeps the last identifiers, which programs evaluate, and the first, which identifies the thread. */
function shorten(ids: readonly string[]): string[] {
  return ids.length <= REFERENCES_MAX ? [...ids] : [...ids.slice(0, 1), ...ids.slice(1 - REFERENCES_MAX)];
}

function voucher(foreign: readonly string[], keys: MessageIdKeys): string[] {
  const hashes = [...new Set(foreign.map((id) => vouchHash(id, keys)))].slice(-VOUCHED_MAX);
  return hashes.length === 0 ? [] : [bracketed(`v.${hashes.join("")}`, keys)];
}

function readVoucher(id: string, keys: MessageIdKeys): string[] | null {
  const hashes = isAtAlias(id, keys) ? VOUCHER.exec(leftOf(id))?.[1] : undefined;
  return hashes === undefined ? null : (hashes.toLowerCase().match(/.{8}/g) ?? []);
}

function isVoucher(id: string, keys: MessageIdKeys): boolean {
  return readVoucher(id, keys) !== null;
}

/** Hash of an identifier without brackets and blanks, which programs add and remove. */
function vouchHash(id: string, keys: MessageIdKeys): string {
  return toBase32(macOf("vouch", withoutBrackets(id).replace(BLANKS, ""), keys).subarray(0, VOUCH_BYTES));
}

function macOf(purpose: "seal" | "vouch", plain: string, keys: MessageIdKeys): Buffer {
  return hmacSha256(keys.macKey, `${purpose}\0${keys.aliasDomain}\0${plain}`);
}

function crypt(bytes: Buffer, iv: Buffer, keys: MessageIdKeys): Buffer {
  return createCipheriv("aes-256-ctr", keys.cipherKey, iv).update(bytes);
}

/** Whether an identifier is at the alias' domain; with a second "@" it could name another host before it. */
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

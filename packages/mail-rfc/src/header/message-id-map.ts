/**
 * Message identifiers of replies, without a table. A Message-ID tells a program, a host, often a domain; one the owner's program
 * made leaves as `<base32(sealed original)@alias domain>`, and when it comes back in References it becomes the original again, so
 * that threads hold on both sides. Sealing is deterministic (synthetic IV by HMAC-SHA-256, then AES-256-CTR), keyed per alias.
 *
 * On the way back nothing tells the owner's identifiers from a correspondent's. So mail to the owner carries one more identifier
 * in References, the voucher: keyed hashes of the correspondents' own. In a reply they pass unchanged, and all others are sealed.
 */
import { createCipheriv, createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { canonicalDomain } from "../address/address.ts";
import { fromBase32, toBase32 } from "../base32.ts";

export interface MessageIdKeys {
  /** Lower case. */
  aliasDomain: string;
  macKey: Buffer;
  cipherKey: Buffer;
}

/** What In-Reply-To and References hold, in order, with brackets. */
export interface ThreadIds {
  inReplyTo: string[];
  references: string[];
}

/** Identifiers kept of a References field: the first, and the last of the rest. */
export const REFERENCES_MAX = 30;
const LEFT_MAX = 200;
const IV_BYTES = 16;
const HASH_BYTES = 20;
const VOUCH_BYTES = 5;
const VOUCHED_MAX = 20;
const VOUCHER = /^v\.([a-z2-7]+)$/i;

/** @param replyKey the alias' 32 random bytes */
export function messageIdKeys(replyKey: Buffer, aliasDomain: string): MessageIdKeys {
  const bytes = Buffer.from(hkdfSync("sha256", replyKey, "", "kauke message id v1", 64));
  return {
    aliasDomain: canonicalDomain(aliasDomain),
    macKey: bytes.subarray(0, 32),
    cipherKey: bytes.subarray(32),
  };
}

/**
 * The identifier that stands for the owner's. One at the alias' domain is returned as it is; one too long to be sealed in 200
 * signs becomes a keyed hash, which nothing turns back.
 * @param id with brackets
 */
export function sealMessageId(id: string, keys: MessageIdKeys): string {
  if (isAtAlias(id, keys)) return id;
  const plain = Buffer.from(withoutBrackets(id));
  const mac = macOf("seal", plain, keys);
  const iv = mac.subarray(0, IV_BYTES);
  const left = toBase32(Buffer.concat([iv, crypt(plain, iv, keys)]));
  return bracketed(left.length <= LEFT_MAX ? left : toBase32(mac.subarray(0, HASH_BYTES)), keys);
}

/** The owner's identifier; `null` when `id` was not made by `sealMessageId` with these keys, or is only a hash. */
export function openMessageId(id: string, keys: MessageIdKeys): string | null {
  if (!isAtAlias(id, keys)) return null;
  const bytes = fromBase32(leftOf(id));
  if (bytes === null || bytes.length <= IV_BYTES) return null;
  const iv = bytes.subarray(0, IV_BYTES);
  const plain = crypt(bytes.subarray(IV_BYTES), iv, keys);
  return timingSafeEqual(macOf("seal", plain, keys).subarray(0, IV_BYTES), iv) ? `<${plain.toString("utf8")}>` : null;
}

/**
 * What mail to the owner shall refer to: sealed identifiers opened, and the voucher last.
 * @param messageId the mail's own, which stays; `null` when it has none
 */
export function threadForOwner(thread: ThreadIds, messageId: string | null, keys: MessageIdKeys): ThreadIds {
  const open = (id: string): string => openMessageId(id, keys) ?? id;
  const kept = shorten(thread.references.filter((id) => !isVoucher(id, keys)));
  const foreign = [...thread.inReplyTo, ...kept, messageId ?? ""].filter((id) => id !== "" && !isAtAlias(id, keys));
  return {
    inReplyTo: thread.inReplyTo.filter((id) => !isVoucher(id, keys)).map(open),
    references: [...kept.map(open), ...voucher(foreign, keys)],
  };
}

/** What a reply shall refer to: vouched identifiers as they are, every other sealed, vouchers gone. */
export function threadForCorrespondent(thread: ThreadIds, keys: MessageIdKeys): ThreadIds {
  const vouched = new Set(thread.references.flatMap((id) => readVoucher(id, keys) ?? []));
  const outward = (ids: readonly string[]): string[] =>
    shorten(ids.filter((id) => !isVoucher(id, keys))).map((id) =>
      vouched.has(vouchHash(id, keys)) ? id : sealMessageId(id, keys),
    );
  return { inReplyTo: outward(thread.inReplyTo), references: outward(thread.references) };
}

/** The last ones are what programs look at, the first is the thread's name. */
function shorten(ids: readonly string[]): string[] {
  return ids.length <= REFERENCES_MAX ? [...ids] : [...ids.slice(0, 1), ...ids.slice(1 - REFERENCES_MAX)];
}

function voucher(foreign: readonly string[], keys: MessageIdKeys): string[] {
  const hashes = [...new Set(foreign.map((id) => vouchHash(id, keys)))].slice(-VOUCHED_MAX);
  return hashes.length === 0 ? [] : [bracketed(`v.${hashes.join("")}`, keys)];
}

/** Each hash is 40 bits, so 8 signs. */
function readVoucher(id: string, keys: MessageIdKeys): string[] | null {
  const signs = isAtAlias(id, keys) ? VOUCHER.exec(leftOf(id))?.[1] : undefined;
  return signs === undefined ? null : (signs.toLowerCase().match(/.{8}/g) ?? []);
}

function isVoucher(id: string, keys: MessageIdKeys): boolean {
  return readVoucher(id, keys) !== null;
}

function vouchHash(id: string, keys: MessageIdKeys): string {
  return toBase32(macOf("vouch", Buffer.from(withoutBrackets(id)), keys).subarray(0, VOUCH_BYTES));
}

function macOf(purpose: string, plain: Buffer, keys: MessageIdKeys): Buffer {
  return createHmac("sha256", keys.macKey).update(`${purpose}\0${keys.aliasDomain}\0`).update(plain).digest();
}

function crypt(bytes: Buffer, iv: Buffer, keys: MessageIdKeys): Buffer {
  return createCipheriv("aes-256-ctr", keys.cipherKey, iv).update(bytes);
}

function isAtAlias(id: string, keys: MessageIdKeys): boolean {
  return withoutBrackets(id).toLowerCase().endsWith(`@${keys.aliasDomain}`);
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

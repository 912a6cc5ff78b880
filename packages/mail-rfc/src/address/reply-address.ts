/**
 * Reply addresses, `r-<token>@<alias domain>`, to which the owner of an alias writes in place of a correspondent's
 * address. The token is a keyed hash of the correspondent under the alias' reply key, so it is always the same. Row id
 * and content key are derived from the token alone, so the table reveals nothing without the tokens.
 *
 * Security properties: correspondents cannot be listed from the rows; somebody who has the reply key can test a guessed
 * correspondent.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import { toBase32 } from "../base32.ts";
import { hmacSha256 } from "../hmac-sha256.ts";
import { addressKey } from "./address-header.ts";
import type { Mailbox } from "./address-list.ts";

/** Characters of a token: 100 bits in base32. */
const TOKEN_LENGTH = 20;
/** Bytes that are encoded for a token, the last one in part. */
const TOKEN_BYTES = 13;
/**
 * Characters between two hyphens: spam filters penalize twenty random characters in a row (SpamAssassin's
 * HK_RANDOM_FROM, FROM_LOCAL_NOVOWEL).
 */
const GROUP_LENGTH = 5;
/** Matches a reply address' local part; hyphens may be missing or in other places. */
const REPLY_LOCAL = /^r-((?:[a-z2-7]-*){19}[a-z2-7])$/i;
/** Matches the local part of a reply address of the first format, which must be accepted forever. */
const FORMER_REPLY_LOCAL = /^r\.([a-z2-7]{20})$/i;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Padding unit in bytes of sealed content, so that its length reveals little. */
const PAD_BYTES = 64;
const CONTENT_KEY_INFO = "kauke reply path content v1";

/**
 * Derives a correspondent's token for one alias.
 * @param replyKey the alias' 32 random bytes
 * @param correspondent an address; its letter case is ignored
 */
export function replyToken(replyKey: Buffer, correspondent: string): string {
  const digest = hmacSha256(replyKey, addressKey(correspondent));
  return toBase32(digest.subarray(0, TOKEN_BYTES)).slice(0, TOKEN_LENGTH);
}

/**
 * Builds the reply address of a token.
 * @example replyAddress("mfrggzdfmztwq2lknnwg", "alias.test") // "r-mfrgg-zdfmz-twq2l-knnwg@alias.test"
 */
export function replyAddress(token: string, domain: string): string {
  let local = "r";
  for (let at = 0; at < token.length; at += GROUP_LENGTH) local += `-${token.slice(at, at + GROUP_LENGTH)}`;
  return `${local}@${domain}`;
}

/**
 * @returns the token in a local part, with its letter case and hyphens normalized; `null` when it is not a reply
 * address
 */
export function readReplyToken(local: string): string | null {
  const found = REPLY_LOCAL.exec(local) ?? FORMER_REPLY_LOCAL.exec(local);
  return found?.[1]?.replaceAll("-", "").toLowerCase() ?? null;
}

/**
 * Whether the local part of a reply address may also be an alias name: `r-…` was once allowed as one, `r.…` never was.
 */
export function mayBeAliasName(replyLocal: string): boolean {
  return replyLocal[1] === "-";
}

/** @returns the primary key of the row that belongs to a token */
export function replyRowId(token: string): Buffer {
  return createHash("sha256").update("row").update(token).digest();
}

/** @returns the key that seals the content of the reply address' row */
export function replyContentKey(token: string): Buffer {
  return Buffer.from(hkdfSync("sha256", token, "", CONTENT_KEY_INFO, 32));
}

/**
 * Seals a correspondent so that only the token opens it (AES-256-GCM; nonce, ciphertext, tag; bound to the row id).
 */
export function sealCorrespondent(token: string, { address, name }: Mailbox): Buffer {
  const json = Buffer.from(JSON.stringify({ address, name }));
  const padded = Buffer.alloc(Math.ceil(json.length / PAD_BYTES) * PAD_BYTES, " ");
  json.copy(padded);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", replyContentKey(token), nonce).setAAD(replyRowId(token));
  const text = Buffer.concat([cipher.update(padded), cipher.final()]);
  return Buffer.concat([nonce, text, cipher.getAuthTag()]);
}

/**
 * Reverses `sealCorrespondent`.
 * @returns `null` when the sealed correspondent was changed or belongs to another token
 */
export function openCorrespondent(token: string, sealed: Buffer): Mailbox | null {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return null;
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv("aes-256-gcm", replyContentKey(token), nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(replyRowId(token)).setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    const text = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    return JSON.parse(text.toString("utf8")) as Mailbox;
  } catch {
    return null;
  }
}

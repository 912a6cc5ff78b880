/**
 * Reply addresses, `r-<token>@<alias domain>`: what the owner of an alias writes to instead of a correspondent. The token comes
 * from the alias' reply key and the correspondent, so it is always the same; the row it leads to is found and opened by the
 * token alone, so rows tell nothing to whoever holds the table without tokens.
 *
 * What that is worth: correspondents can't be listed from rows; with the reply key a guessed correspondent can be tested.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { toBase32 } from "../base32.ts";
import type { Mailbox } from "./address-list.ts";

/** 100 bits. */
const TOKEN_SIGNS = 20;
/** The token is written in groups: spam filters (SpamAssassin's HK_RANDOM_FROM, FROM_LOCAL_NOVOWEL) punish twenty random signs in a row. */
const GROUP = /.{5}(?=.)/g;
/** Hyphens between the signs may be missing, or stand elsewhere. */
const REPLY_LOCAL = /^r-((?:[a-z2-7]-*){19}[a-z2-7])$/i;
/** The form of the first version, understood for ever. */
const FORMER_REPLY_LOCAL = /^r\.([a-z2-7]{20})$/i;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Sealed content comes in steps of this size, so that its length says little. */
const PAD_BYTES = 64;
const CONTENT_KEY_INFO = "kauke reply path content v1";

/** @param replyKey the alias' 32 random bytes @param correspondent an address; its case does not count */
export function replyToken(replyKey: Buffer, correspondent: string): string {
  const digest = createHmac("sha256", replyKey).update(correspondent.normalize("NFC").toLowerCase()).digest();
  return toBase32(digest).slice(0, TOKEN_SIGNS);
}

/** @example replyAddress("mfrggzdfmztwq2lknnwg", "alias.test") // "r-mfrgg-zdfmz-twq2l-knnwg@alias.test" */
export function replyAddress(token: string, domain: string): string {
  return `r-${token.replace(GROUP, "$&-")}@${domain}`;
}

/** The token in a local part, whatever became of its case and hyphens; `null` when it is no reply address. */
export function readReplyToken(local: string): string | null {
  const found = REPLY_LOCAL.exec(local) ?? FORMER_REPLY_LOCAL.exec(local);
  return found?.[1]?.replaceAll("-", "").toLowerCase() ?? null;
}

/** Whether an alias may have a reply address' local part as its name: `r-…` was a free name once, `r.…` never was. */
export function mayBeAliasName(replyLocal: string): boolean {
  return replyLocal[1] === "-";
}

/** The key of the row a token leads to. */
export function replyRowId(token: string): Buffer {
  return createHash("sha256").update("row").update(token).digest();
}

/** The key that opens that row's content. */
export function replyContentKey(token: string): Buffer {
  return Buffer.from(hkdfSync("sha256", token, "", CONTENT_KEY_INFO, 32));
}

/** Seals a correspondent so that only the token opens it (AES-256-GCM; nonce, then text, then tag; bound to the row id). */
export function sealCorrespondent(token: string, { address, name }: Mailbox): Buffer {
  const json = Buffer.from(JSON.stringify({ address, name }));
  const padded = Buffer.alloc(Math.ceil(json.length / PAD_BYTES) * PAD_BYTES, " ");
  json.copy(padded);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", replyContentKey(token), nonce).setAAD(replyRowId(token));
  const text = Buffer.concat([cipher.update(padded), cipher.final()]);
  return Buffer.concat([nonce, text, cipher.getAuthTag()]);
}

/** What `sealCorrespondent` sealed; `null` when it was changed or belongs to another token. */
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

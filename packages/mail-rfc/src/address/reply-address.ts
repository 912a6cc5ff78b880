/**
 * Reply addresses, `r-<token>@<alias domain>`, to which an owner writes instead of the correspondent's address. The
 * token is a keyed hash of the correspondent, so it is always the same; row id and content key derive from it, so rows
 * reveal nothing without tokens. Whoever has the reply key can test a guess.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import { toBase32 } from "../base32.ts";
import { hmacSha256 } from "../hmac-sha256.ts";
import { readPlainAddress } from "./address.ts";
import { addressKey } from "./address-header.ts";
import type { Mailbox } from "./address-list.ts";

const TOKEN_LENGTH = 20;
const TOKEN_BYTES = 13;
/** Characters between hyphens: spam filters penalize twenty in a row (SpamAssassin's HK_RANDOM_FROM). */
const GROUP_LENGTH = 5;
/** Local part of a reply address; its hyphens may be missing or in other places. */
const REPLY_LOCAL = /^r-((?:[a-z2-7]-*){19}[a-z2-7])$/i;
/** The first format of reply addresses must be accepted forever. */
const FORMER_REPLY_LOCAL = /^r\.([a-z2-7]{20})$/i;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Padding unit in bytes, so that the length of sealed content reveals little. */
const PAD_BYTES = 64;
const CONTENT_KEY_INFO = "kauke reply path content v1";

/** @param replyKey the alias' 32 random bytes @param correspondent its letter case is ignored */
export function replyToken(replyKey: Buffer, correspondent: string): string {
  const digest = hmacSha256(replyKey, addressKey(correspondent));
  return toBase32(digest.subarray(0, TOKEN_BYTES)).slice(0, TOKEN_LENGTH);
}

/** @example replyAddress("mfrggzdfmztwq2lknnwg", "alias.test") // "r-mfrgg-zdfmz-twq2l-knnwg@alias.test" */
export function replyAddress(token: string, domain: string): string {
  let local = "r";
  for (let at = 0; at < token.length; at += GROUP_LENGTH) local += `-${token.slice(at, at + GROUP_LENGTH)}`;
  return `${local}@${domain}`;
}

export function readReplyToken(local: string): string | null {
  const found = REPLY_LOCAL.exec(local) ?? FORMER_REPLY_LOCAL.exec(local);
  return found?.[1]?.replaceAll("-", "").toLowerCase() ?? null;
}

/** Whether a reply address may also be an alias' name: `r-…` was once allowed, `r.…` never was. */
export function mayBeAliasName(replyLocal: string): boolean {
  return replyLocal[1] === "-";
}

export function replyRowId(token: string): Buffer {
  return createHash("sha256").update("row").update(token).digest();
}

export function replyContentKey(token: string): Buffer {
  return Buffer.from(hkdfSync("sha256", token, "", CONTENT_KEY_INFO, 32));
}

/** Seals a correspondent with a key from the token (AES-256-GCM; nonce, ciphertext, tag; bound to the row id). */
export function sealCorrespondent(token: string, { address, name }: Mailbox): Buffer {
  const json = Buffer.from(JSON.stringify({ address, name }));
  const padded = Buffer.alloc(Math.ceil(json.length / PAD_BYTES) * PAD_BYTES, " ");
  json.copy(padded);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", replyContentKey(token), nonce).setAAD(replyRowId(token));
  const text = Buffer.concat([cipher.update(padded), cipher.final()]);
  return Buffer.concat([nonce, text, cipher.getAuthTag()]);
}

/** @returns `null` when the sealed correspondent was changed or belongs to another token */
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

export class ReplyAddresses {
  readonly correspondents: Mailbox[] = [];
  readonly #replyAddressOf: (correspondent: string) => string;
  readonly #replies = new Map<string, string>();
  readonly #max: number;

  /** @param replyAddressOf called once per correspondent of the message */
  constructor(replyAddressOf: (correspondent: string) => string, max: number) {
    this.#replyAddressOf = replyAddressOf;
    this.#max = max;
  }

  get isFull(): boolean {
    return this.#replies.size >= this.#max;
  }

  knownFor(address: string): string | null {
    return this.#replies.get(addressKey(address)) ?? null;
  }

  addressFor(mailbox: Mailbox): string | null {
    const key = addressKey(mailbox.address);
    const known = this.#replies.get(key);
    if (known !== undefined || this.isFull) return known ?? null;
    const address = this.#replyAddressOf(mailbox.address);
    this.#replies.set(key, address);
    this.correspondents.push(mailbox);
    return address;
  }
}

/** @example readSendTag("ann=shop.example") // "ann@shop.example" */
export function readSendTag(tag: string): string | null {
  const equals = tag.lastIndexOf("=");
  if (equals <= 0) return null;
  const domain = tag.slice(equals + 1);
  if (!domain.includes(".")) return null;
  return readPlainAddress(`${tag.slice(0, equals)}@${domain}`)?.canonical ?? null;
}

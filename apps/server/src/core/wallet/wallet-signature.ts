/** Ed25519 (RFC 8032) with base58 keys. Rejects keys of small order, whose signatures need no private key. */

import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { base58 } from "@scure/base";

/** Base58 as in Solana: Bitcoin's alphabet, no checksum. */
export function toBase58(bytes: Uint8Array): string {
  return base58.encode(bytes);
}

/** Decodes canonical base58 of exactly `length` bytes, else `null`; too long texts are not decoded. */
export function fromBase58(text: string, length: number): Buffer | null {
  // In base58 a byte takes log(256) / log(58) = 1.3657… characters.
  if (text.length < length || text.length > Math.ceil(length * 1.3658)) return null;
  try {
    const bytes = Buffer.from(base58.decode(text));
    return bytes.length === length && toBase58(bytes) === text ? bytes : null;
  } catch {
    // The library's error may quote the text, which can be a secret.
    return null;
  }
}

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** Prefix of the 32-byte public key in SubjectPublicKeyInfo (RFC 8410 §4). */
const SPKI_START = Buffer.from("302a300506032b6570032100", "hex");

/** Little-endian y coordinates of the points of order 1, 2, 4 and 8, including encodings not reduced modulo p. */
const smallOrder: ReadonlySet<string> = new Set([
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
]);

/** `null` for an invalid wallet address: not base58 of 32 bytes, or a key of small order. */
export function walletKey(walletAddress: string): KeyObject | null {
  const bytes = fromBase58(walletAddress, KEY_BYTES);
  if (bytes === null || isSmallOrder(bytes)) return null;
  return createPublicKey({ key: Buffer.concat([SPKI_START, bytes]), format: "der", type: "spki" });
}

export function isSmallOrder(key: Uint8Array): boolean {
  const y = Buffer.from(key);
  // The highest bit of an encoded point is the sign of x; the other 255 are y.
  y.writeUInt8(y.readUInt8(KEY_BYTES - 1) & 0x7f, KEY_BYTES - 1);
  return smallOrder.has(y.toString("hex"));
}

/** @param text base58, or base64 with padding @returns `null` unless it is the canonical encoding of 64 bytes */
export function readSignature(text: string): Buffer | null {
  return fromBase58(text, SIGNATURE_BYTES) ?? fromBase64(text);
}

/** In base64, 64 bytes have 88 characters with two of padding; base58 never has a `=`. */
function fromBase64(text: string): Buffer | null {
  if (text.length !== 88) return null;
  const bytes = Buffer.from(text, "base64");
  return bytes.length === SIGNATURE_BYTES && bytes.toString("base64") === text ? bytes : null;
}

/** Runs on the event loop: 0.1 ms is less than passing the work to a thread takes. */
export function isSignedBy(key: KeyObject, message: Uint8Array, signature: Uint8Array): boolean {
  return verify(null, message, key, signature);
}

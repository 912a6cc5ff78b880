/**
 * Ed25519 (RFC 8032) as wallets use it: the address is the public key in base58. Keys of small order are rejected,
 * since signatures for them can be made without a private key; whether the platform's library rejects them depends on
 * its version.
 */

import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { base58 } from "@scure/base";

/** Base58 as in Solana: Bitcoin's alphabet, a leading `1` for each leading zero byte, no checksum. */
export function toBase58(bytes: Uint8Array): string {
  return base58.encode(bytes);
}

/** Decodes base58 of exactly `length` bytes in canonical form, else `null`; too long texts are not decoded. */
export function fromBase58(text: string, length: number): Buffer | null {
  // In base58 a byte takes log(256) / log(58) = 1.3657… characters.
  if (text.length < length || text.length > Math.ceil(length * 1.3658)) return null;
  try {
    const bytes = Buffer.from(base58.decode(text));
    return bytes.length === length && toBase58(bytes) === text ? bytes : null;
  } catch {
    // The library's error message may quote the text, which can be a secret, so the error is dropped.
    return null;
  }
}

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** Prefix of the 32-byte public key in SubjectPublicKeyInfo (RFC 8410 §4). */
const SPKI_START = Buffer.from("302a300506032b6570032100", "hex");

/**
 * y coordinates, little-endian, of the points of order 1, 2, 4 and 8. With either sign of x they are the eight points
 * and those encodings of them that are not reduced modulo p.
 */
const smallOrder: ReadonlySet<string> = new Set([
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
]);

/** Public key of a wallet address; `null` for an invalid one: not base58 of 32 bytes, or a key of small order. */
export function walletKey(walletAddress: string): KeyObject | null {
  const bytes = fromBase58(walletAddress, KEY_BYTES);
  if (bytes === null || isSmallOrder(bytes)) return null;
  return createPublicKey({ key: Buffer.concat([SPKI_START, bytes]), format: "der", type: "spki" });
}

export function isSmallOrder(key: Uint8Array): boolean {
  const y = Buffer.from(key);
  // The highest bit of an encoded point is the sign of x, the other 255 are y.
  y.writeUInt8(y.readUInt8(KEY_BYTES - 1) & 0x7f, KEY_BYTES - 1);
  return smallOrder.has(y.toString("hex"));
}

/** @param text base58, or base64 with padding @returns `null` unless the text is the canonical encoding of 64 bytes */
export function readSignature(text: string): Buffer | null {
  return fromBase58(text, SIGNATURE_BYTES) ?? fromBase64(text);
}

/** 64 bytes have 88 characters in base64, two of them padding; in base58 they have at most 88, and never a `=`. */
function fromBase64(text: string): Buffer | null {
  if (text.length !== 88) return null;
  const bytes = Buffer.from(text, "base64");
  return bytes.length === SIGNATURE_BYTES && bytes.toString("base64") === text ? bytes : null;
}

/** Verifies a signature on the event loop: that takes 0.1 ms, less than passing the work to another thread. */
export function isSignedBy(key: KeyObject, message: Uint8Array, signature: Uint8Array): boolean {
  return verify(null, message, key, signature);
}

/** HMAC-SHA-256 (RFC 2104) of short texts: two one-shot hashes take a third of the time of `createHmac`. */
import { createHmac, hash } from "node:crypto";

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
/** Maximum bytes of a text that is hashed with prepared blocks. */
const SHORT_BYTES = 1024;
const OCTETS_PER_UNIT = 3;

/** The key as first block of the inner and of the outer hash. */
interface KeyBlocks {
  inner: Buffer;
  outer: Buffer;
}

const blocksByKey = new WeakMap<Uint8Array, KeyBlocks>();
const innerInput = Buffer.alloc(BLOCK_BYTES + SHORT_BYTES);
const outerInput = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);

/** @param key must not change: the blocks made of it are cached by the object */
export function hmacSha256(key: Uint8Array, text: string): Buffer {
  if (text.length * OCTETS_PER_UNIT > SHORT_BYTES || key.length > BLOCK_BYTES) {
    return createHmac("sha256", key).update(text).digest();
  }
  const { inner, outer } = blocksOf(key);
  innerInput.set(inner);
  const end = BLOCK_BYTES + innerInput.write(text, BLOCK_BYTES, "utf8");
  outerInput.set(outer);
  outerInput.write(hash("sha256", innerInput.subarray(0, end), "latin1"), BLOCK_BYTES, "latin1");
  return Buffer.from(hash("sha256", outerInput, "latin1"), "latin1");
}

function blocksOf(key: Uint8Array): KeyBlocks {
  const known = blocksByKey.get(key);
  if (known !== undefined) return known;
  const blocks = { inner: keyBlock(key, 0x36), outer: keyBlock(key, 0x5c) };
  blocksByKey.set(key, blocks);
  return blocks;
}

function keyBlock(key: Uint8Array, pad: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES, pad);
  for (const [index, byte] of key.entries()) block[index] = byte ^ pad;
  return block;
}

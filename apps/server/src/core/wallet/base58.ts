/**
 * Base58 as Solana encodes keys and signatures: Bitcoin's alphabet, one leading `1` for each leading zero byte, no
 * checksum.
 */
import { base58 } from "@scure/base";

/** Encodes bytes; e.g. 32 zero bytes are `11111111111111111111111111111111`. */
export function toBase58(bytes: Uint8Array): string {
  return base58.encode(bytes);
}

/**
 * Decodes exactly `length` bytes, in canonical form only. A text too short or too long for that many bytes is rejected
 * without decoding it.
 * @returns `null` for invalid characters, another length, or a non-canonical encoding
 */
export function fromBase58(text: string, length: number): Buffer | null {
  // A byte takes log(256) / log(58) = 1.3657… characters.
  if (text.length < length || text.length > Math.ceil(length * 1.3658)) return null;
  try {
    const bytes = Buffer.from(base58.decode(text));
    return bytes.length === length && toBase58(bytes) === text ? bytes : null;
  } catch {
    // The library's error message may quote the text, which can be a secret, so the error is dropped.
    return null;
  }
}

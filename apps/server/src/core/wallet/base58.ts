/** Base58 as Solana writes keys and signatures: Bitcoin's alphabet, one `1` for each zero byte in front, no checksum. */
import { base58 } from "@scure/base";

/** e.g. 32 zero bytes are `11111111111111111111111111111111` */
export function toBase58(bytes: Uint8Array): string {
  return base58.encode(bytes);
}

/**
 * Reads exactly `length` bytes in their one spelling. A text longer than such bytes can have is not read at all: reading takes
 * the square of its length.
 * @returns `null` for other signs, another length, or another spelling of the same bytes
 */
export function fromBase58(text: string, length: number): Buffer | null {
  // log(256) / log(58) = 1.3657… signs for a byte
  if (text.length < length || text.length > Math.ceil(length * 1.3658)) return null;
  try {
    const bytes = Buffer.from(base58.decode(text));
    return bytes.length === length && toBase58(bytes) === text ? bytes : null;
  } catch {
    // Its message may quote the text.
    return null;
  }
}

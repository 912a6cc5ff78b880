/**
 * Base58 as Solana encodes keys and signatures: Bitcoin's alphabet, one leading `1` for each leading zero byte, no
 * checksum.
 */
const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const BASE = 58n;

/** Encodes bytes; e.g. 32 zero bytes are `11111111111111111111111111111111`. */
export function toBase58(bytes: Uint8Array): string {
  const zeros = leading(bytes, 0);
  let text = "";
  for (let rest = BigInt(`0x0${Buffer.from(bytes).toString("hex")}`); rest > 0n; rest /= BASE)
    text = ALPHABET[Number(rest % BASE)] + text;
  return "1".repeat(zeros) + text;
}

/**
 * Decodes exactly `length` bytes, in canonical form only. Rejects a text that is too long for that many bytes without
 * decoding it.
 * @returns `null` for invalid characters, another length, or a non-canonical encoding
 */
export function fromBase58(text: string, length: number): Buffer | null {
  // log(256) / log(58) = 1.3657… characters per byte
  if (text.length < length || text.length > Math.ceil(length * 1.3658)) return null;
  let value = 0n;
  for (const sign of text) {
    const digit = ALPHABET.indexOf(sign);
    if (digit < 0) return null;
    value = value * BASE + BigInt(digit);
  }
  const hex = value.toString(16).padStart(length * 2, "0");
  if (hex.length !== length * 2) return null;
  const bytes = Buffer.from(hex, "hex");
  return toBase58(bytes) === text ? bytes : null;
}

function leading(bytes: Uint8Array, value: number): number {
  const end = bytes.findIndex((byte) => byte !== value);
  return end < 0 ? bytes.length : end;
}

/** Base32 (RFC 4648 §6) in lower case without padding: for tokens in local parts, which may lose their case on the way. */
const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/** @returns one sign for every five bits, the last ones filled with zero bits */
export function toBase32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += ALPHABET[(held >> (bits - 5)) & 31];
  }
  return bits > 0 ? text + ALPHABET[(held << (5 - bits)) & 31] : text;
}

/** Reads what `toBase32` wrote, in any case. @returns `null` for other signs or a length no bytes have */
export function fromBase32(text: string): Buffer | null {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const sign of text.toLowerCase()) {
    const value = ALPHABET.indexOf(sign);
    if (value < 0) return null;
    held = ((held << 5) | value) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((held >> bits) & 0xff);
    }
  }
  const isWhole = bits < 5 && (held & ((1 << bits) - 1)) === 0;
  return isWhole ? Buffer.from(bytes) : null;
}

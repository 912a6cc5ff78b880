/**
 * Base32 (RFC 4648 §6) in lower case without padding: for tokens in local parts, which may lose their case on the way.
 */
import { base32nopad } from "@scure/base";

/** @returns one sign for every five bits, the last ones filled with zero bits */
export function toBase32(bytes: Uint8Array): string {
  return base32nopad.encode(bytes).toLowerCase();
}

/** Reads what `toBase32` wrote, in any case. @returns `null` for other signs or a length no bytes have */
export function fromBase32(text: string): Buffer | null {
  // Before the case is changed: letters of other alphabets become ours by that.
  if (!/^[a-z2-7]*$/i.test(text)) return null;
  try {
    return Buffer.from(base32nopad.decode(text.toUpperCase()));
  } catch {
    // The library's error message may quote the text, which can be a secret, so the error is dropped.
    return null;
  }
}

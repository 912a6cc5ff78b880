/**
 * The text of an API key: `kauke`, 41 random characters, and 6 characters of checksum, all letters and digits. Clients
 * of other products accept this length (52) and alphabet. Thanks to the checksum, a scanner for leaked secrets
 * recognises a key with certainty, and a mistyped key is refused without a database query.
 */
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { apiKeyPattern } from "@kauke/contract";
import type { Random } from "../ports.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PREFIX = "kauke";
const RANDOM_LENGTH = 41;
const CHECKSUM_LENGTH = 6;
/**
 * Random bytes from this value on are discarded: it is the largest multiple of 62 up to 256, so all 62 characters are
 * equally likely.
 */
const BYTES_USED = 256 - (256 % ALPHABET.length);

/** Makes a key with 244 random bits. */
export function newApiKeySecret(random: Random): string {
  let text = PREFIX;
  while (text.length < PREFIX.length + RANDOM_LENGTH) {
    for (const byte of random.bytes(64)) {
      if (byte < BYTES_USED && text.length < PREFIX.length + RANDOM_LENGTH) text += ALPHABET[byte % ALPHABET.length];
    }
  }
  return text + checksumOf(text);
}

/**
 * SHA-256 of an API key.
 * @returns `null` for a text that does not have the form or the checksum of an API key
 */
export function hashApiKey(text: string): Buffer | null {
  if (!apiKeyPattern.test(text)) return null;
  const start = text.slice(0, -CHECKSUM_LENGTH);
  if (checksumOf(start) !== text.slice(-CHECKSUM_LENGTH)) return null;
  return createHash("sha256").update(text, "latin1").digest();
}

/** CRC-32 (ISO 3309) of a text, as six digits of base 62, most significant first. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let index = 0; index < CHECKSUM_LENGTH; index += 1) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}

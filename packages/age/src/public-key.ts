/**
 * Public keys (age recipients): `age1…` (X25519, 62 characters), `age1pq1…` (post-quantum, 1,959), and the two forms of
 * hardware keys, `age1tag1…` and `age1tagpq1…`, to which this package can encrypt only.
 */
import { Encrypter } from "age-encryption";
import { AgeError, failAs } from "./age-error.ts";
import { RECIPIENTS_MAX } from "./limits.ts";
import { requireWebCrypto } from "./web-crypto.ts";

export type KeyKind = "classic" | "post-quantum";

/** Characters beyond which a text is no public key; the longest kind, `age1tagpq1…`, has about 2,010. */
const PUBLIC_KEY_MAX_LENGTH = 2100;

/**
 * Whether the text, without white space around it, is spelled like a public key, including its checksum. Synchronous
 * and cheap enough for every key press; `checkPublicKey` tells whether the key can be used.
 */
export function isPublicKey(text: string): boolean {
  return spelledPublicKey(text) !== null;
}

/**
 * Kind of a public key, by its spelling alone; `post-quantum` if a quantum computer can't decrypt what is encrypted to
 * it.
 */
export function publicKeyKind(publicKey: string): KeyKind {
  return /^\s*age1(?:tag)?pq1/.test(publicKey) ? "post-quantum" : "classic";
}

/**
 * Encrypts a trial file to the key, since a well-spelled key may still be unusable. Meant to be called once, when a key
 * is saved or pasted.
 * @returns the key without white space around it
 * @throws AgeError `bad_public_key`
 */
export async function checkPublicKey(text: string): Promise<string> {
  requireWebCrypto();
  const publicKey = spelledPublicKey(text);
  if (publicKey === null) throw new AgeError("bad_public_key");
  const encrypter = new Encrypter();
  encrypter.addRecipient(publicKey);
  await failAs("bad_public_key", () => encrypter.encrypt(new Uint8Array(0)));
  return publicKey;
}

/**
 * Checks the recipients of one file: at least one, duplicates removed, all of one kind.
 * @throws AgeError `no_recipients`, `bad_public_key`, `mixed_recipients`, `too_large`
 */
export function readRecipients(publicKeys: readonly string[]): string[] {
  if (publicKeys.length === 0) throw new AgeError("no_recipients");
  if (publicKeys.length > RECIPIENTS_MAX) throw new AgeError("too_large");
  const recipients = new Set<string>();
  for (const text of publicKeys) {
    const publicKey = spelledPublicKey(text);
    if (publicKey === null) throw new AgeError("bad_public_key");
    recipients.add(publicKey);
  }
  if (new Set([...recipients].map(publicKeyKind)).size > 1) throw new AgeError("mixed_recipients");
  return [...recipients];
}

function spelledPublicKey(text: string): string | null {
  if (text.length > PUBLIC_KEY_MAX_LENGTH * 2) return null;
  const publicKey = text.trim();
  if (publicKey.length > PUBLIC_KEY_MAX_LENGTH || !publicKey.startsWith("age1")) return null;
  try {
    // Checks the bech32 form only; the point itself is checked by encrypt().
    new Encrypter().addRecipient(publicKey);
    return publicKey;
  } catch {
    return null;
  }
}

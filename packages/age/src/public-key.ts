/** `age1…` (X25519), `age1pq1…` (post-quantum); hardware keys (`age1tag1…`, `age1tagpq1…`) only encrypt. */
import { Encrypter } from "age-encryption";
import { AgeError, failAs } from "./age-error.ts";
import { AGE_RECIPIENTS_MAX } from "./limits.ts";
import { requireWebCrypto } from "./web-crypto.ts";

export type KeyKind = "classic" | "post-quantum";

/** The longest kind of public key, `age1tagpq1…`, has 2,010 characters. */
const PUBLIC_KEY_MAX_LENGTH = 2100;

/** Checks spelling and checksum, at every key press; `checkPublicKey` tells whether the key can be used. */
export function isPublicKey(text: string): boolean {
  return spelledPublicKey(text) !== null;
}

export function publicKeyKind(publicKey: string): KeyKind {
  return /^\s*age1(?:tag)?pq1/.test(publicKey) ? "post-quantum" : "classic";
}

/** Encrypts a trial file, since a well-spelled key may be unusable. @throws AgeError `bad_public_key` */
export async function checkPublicKey(text: string): Promise<string> {
  requireWebCrypto();
  const publicKey = spelledPublicKey(text);
  if (publicKey === null) throw new AgeError("bad_public_key");
  const encrypter = new Encrypter();
  encrypter.addRecipient(publicKey);
  await failAs("bad_public_key", () => encrypter.encrypt(new Uint8Array(0)));
  return publicKey;
}

/** All of one kind. @throws AgeError `no_recipients`, `bad_public_key`, `mixed_recipients`, `too_large` */
export function readRecipients(publicKeys: readonly string[]): string[] {
  if (publicKeys.length === 0) throw new AgeError("no_recipients");
  if (publicKeys.length > AGE_RECIPIENTS_MAX) throw new AgeError("too_large");
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
    // Adding a recipient checks its bech32 form only; encrypt() checks the point.
    new Encrypter().addRecipient(publicKey);
    return publicKey;
  } catch {
    return null;
  }
}

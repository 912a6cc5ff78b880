/** Private keys: `AGE-SECRET-KEY-1…` and, post-quantum, `AGE-SECRET-KEY-PQ-1…`, as a line or a whole key file. */
import { Decrypter, generateHybridIdentity, generateX25519Identity, identityToRecipient } from "age-encryption";
import { AgeError, failAs } from "./age-error.ts";
import { KEY_FILE_MAX_BYTES, PRIVATE_KEYS_MAX } from "./limits.ts";
import type { KeyKind } from "./public-key.ts";
import { requireWebCrypto } from "./web-crypto.ts";

export interface KeyPair {
  publicKey: string;
  privateKey: string;
}

/** Zero-width characters are often pasted with a key but are not white space in JavaScript. */
const invisible = /[\s\u200b-\u200d\u2060]+/g;

/** `classic` is X25519, which every age program opens; `post-quantum` needs age 1.3. */
export async function generateKeyPair(kind: KeyKind = "classic"): Promise<KeyPair> {
  const privateKey = await (kind === "post-quantum" ? generateHybridIdentity() : generateX25519Identity());
  return { privateKey, publicKey: await publicKeyOf(privateKey) };
}

/** @throws AgeError `bad_private_key`, also when the text contains several keys */
export async function publicKeyOf(text: string): Promise<string> {
  const [privateKey, ...others] = readPrivateKeys(text);
  if (privateKey === undefined || others.length > 0) throw new AgeError("bad_private_key");
  return failAs("bad_private_key", () => identityToRecipient(privateKey));
}

/** Reads a key per line, skipping `#`. @throws AgeError `bad_private_key`, `too_large`, `insecure_context` */
export function readPrivateKeys(text: string): string[] {
  requireWebCrypto();
  if (text.length > KEY_FILE_MAX_BYTES) throw new AgeError("too_large");
  const keys = text
    .split(/[\r\n]+/)
    .map((line) => line.replace(invisible, ""))
    .filter((line) => line !== "" && !line.startsWith("#"));
  if (keys.length === 0) throw new AgeError("bad_private_key");
  if (keys.length > PRIVATE_KEYS_MAX) throw new AgeError("too_large");
  for (const key of keys) checkSpelling(key);
  return [...new Set(keys)];
}

export function kindOfPrivateKey(privateKey: string): KeyKind {
  return privateKey.startsWith("AGE-SECRET-KEY-PQ-1") ? "post-quantum" : "classic";
}

function checkSpelling(key: string): void {
  try {
    new Decrypter().addIdentity(key);
  } catch {
    throw new AgeError("bad_private_key");
  }
}

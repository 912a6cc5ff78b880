import { Decrypter } from "age-encryption";
import { AgeError, failAs, passwordFailure } from "./age-error.ts";
import { dearmor, looksArmored } from "./format/armor.ts";
import { checkHeader } from "./format/header.ts";
import {
  AGE_FILE_MAX_BYTES,
  AGE_HEADER_MAX_BYTES,
  AGE_TEXT_MAX_BYTES,
  DECRYPTION_COST_MAX,
  TRIAL_COST,
} from "./limits.ts";
import { normalisePassword, type PasswordCipher, passwordIdentity } from "./password/password-cipher.ts";
import { kindOfPrivateKey, readPrivateKeys } from "./private-key.ts";
import type { KeyKind } from "./public-key.ts";
import { requireWebCrypto } from "./web-crypto.ts";

export type DecryptWith = { privateKeys: string } | { password: string; passwordCipher?: PasswordCipher };

/**
 * Decrypts a file, all or nothing. @param file armored or binary
 * @throws AgeError `not_age`, `malformed`, `too_large` (also too many keys times stanzas), `work_factor_too_high`,
 * `wrong_password`, `no_matching_key`, `bad_private_key`, `bad_password`, `out_of_memory`, `insecure_context`
 */
export async function decrypt(file: string | Uint8Array, key: DecryptWith): Promise<Uint8Array> {
  return decryptUpTo(AGE_FILE_MAX_BYTES, file, key);
}

/** At most 1 MiB; invalid UTF-8 is refused, a byte order mark stays. @throws AgeError as `decrypt`, and `not_text` */
export async function decryptText(file: string | Uint8Array, key: DecryptWith): Promise<string> {
  const chunkTags = (Math.ceil(AGE_TEXT_MAX_BYTES / 65_536) + 1) * 16;
  const maxBytes = AGE_HEADER_MAX_BYTES + AGE_TEXT_MAX_BYTES + chunkTags;
  const plaintext = await decryptUpTo(maxBytes, file, key);
  if (plaintext.length > AGE_TEXT_MAX_BYTES) throw new AgeError("too_large");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(plaintext);
  } catch {
    throw new AgeError("not_text");
  }
}

async function decryptUpTo(maxBytes: number, file: string | Uint8Array, key: DecryptWith): Promise<Uint8Array> {
  const binary = binaryOf(maxBytes, file);
  const { stanzaTypes } = checkHeader(binary);
  return attemptWith(key, stanzaTypes, (decrypter) => decrypter.decrypt(binary));
}

function binaryOf(maxBytes: number, file: string | Uint8Array): Uint8Array {
  if (typeof file === "string") return dearmor(file, maxBytes);
  if (looksArmored(asciiOf(file.subarray(0, 4096)))) {
    if (file.length > maxBytes * 2) throw new AgeError("too_large");
    return dearmor(asciiOf(file), maxBytes);
  }
  if (file.length > maxBytes) throw new AgeError("too_large");
  return file;
}

function asciiOf(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** Runs a decryption, and tells a key that does not match from a damaged file without the library's messages. */
export async function attemptWith<T>(
  key: DecryptWith,
  stanzaTypes: readonly string[],
  work: (decrypter: Decrypter) => Promise<T>,
): Promise<T> {
  requireWebCrypto();
  const decrypter = new Decrypter();
  addKey(decrypter, key, stanzaTypes);
  let isWithoutMatch = false;
  // The library asks this identity last, so no private key has matched.
  decrypter.addIdentity({
    unwrapFileKey() {
      isWithoutMatch = true;
      return null;
    },
  });
  const isPasswordWrong = "password" in key && stanzaTypes.includes("scrypt");
  try {
    return await failAs("password" in key ? passwordFailure : "malformed", () => work(decrypter));
  } catch (thrown) {
    if (isWithoutMatch) throw new AgeError(isPasswordWrong ? "wrong_password" : "no_matching_key");
    throw thrown;
  }
}

function addKey(decrypter: Decrypter, key: DecryptWith, stanzaTypes: readonly string[]): void {
  if ("privateKeys" in key) {
    const privateKeys = readPrivateKeys(key.privateKeys);
    if (trialCost(privateKeys, stanzaTypes) > DECRYPTION_COST_MAX) throw new AgeError("too_large");
    for (const privateKey of privateKeys) decrypter.addIdentity(privateKey);
    return;
  }
  const password = normalisePassword(key.password);
  if (key.passwordCipher === undefined) decrypter.addPassphrase(password);
  else decrypter.addIdentity(passwordIdentity(password, key.passwordCipher));
}

/** The library tries a private key on stanzas of this type. */
const STANZA_TYPE: Record<KeyKind, string> = { classic: "X25519", "post-quantum": "mlkem768x25519" };

function trialCost(privateKeys: readonly string[], stanzaTypes: readonly string[]): number {
  const kinds = privateKeys.map(kindOfPrivateKey);
  const costOf = (kind: KeyKind) => stanzaTypes.filter((type) => type === STANZA_TYPE[kind]).length * TRIAL_COST[kind];
  return kinds.reduce((sum, kind) => sum + costOf(kind), 0);
}

/**
 * Classifies a stored private key without decrypting it, for server and browser alike. A key without a master password
 * can't be used for auto-decrypt, and one of an older method must be created again.
 */
import { AgeError } from "../age-error.ts";
import { decrypt } from "../decrypt.ts";
import { readPrivateKeys } from "../private-key.ts";
import type { PasswordCipher } from "./password-cipher.ts";
import { isProtectedKey } from "./protected-key.ts";

/**
 * Form of a stored private key. `protected`: encrypted under a password in our form. `unprotected`: a bare private key,
 * or an age file for other keys. `older`: anything else.
 */
export type StoredKeyForm = "protected" | "unprotected" | "older";

/** Classifies a stored private key; never computes a scrypt, whatever the text is. */
export async function storedKeyForm(text: string): Promise<StoredKeyForm> {
  if (isProtectedKey(text)) return "protected";
  return isBareKey(text) || (await isForOtherKeys(text)) ? "unprotected" : "older";
}

function isBareKey(text: string): boolean {
  try {
    return readPrivateKeys(text).length > 0;
  } catch (thrown) {
    if (thrown instanceof AgeError) return false;
    throw thrown;
  }
}

/** A cipher for which every password is wrong, without computing anything. */
const noCipher: PasswordCipher = { encrypt: (_, fileKey) => fileKey, decrypt: () => null };

/**
 * Whether the file is encrypted to keys: without a password stanza it fails with `no_matching_key` before any
 * computation.
 */
async function isForOtherKeys(file: string): Promise<boolean> {
  return decrypt(file, { password: "-", passwordCipher: noCipher }).then(
    () => false,
    (thrown) => thrown instanceof AgeError && thrown.code === "no_matching_key",
  );
}

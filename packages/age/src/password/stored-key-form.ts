/**
 * What form a stored private key has, without opening it. Server and browser tell an owner the same: a key without a master
 * password can't be used for auto-decrypt, and one of an older method must be created anew.
 */
import { AgeError } from "../age-error.ts";
import { decrypt } from "../decrypt.ts";
import { readPrivateKeys } from "../private-key.ts";
import type { PasswordCipher } from "./password-cipher.ts";
import { isProtectedKey } from "./protected-key.ts";

/** `unprotected`: a bare private key, or an age file for other keys. `older`: anything else that isn't our form. */
export type StoredKeyForm = "protected" | "unprotected" | "older";

/** Costs no scrypt, whatever the text is. */
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

/** Never the right password, and computes nothing. */
const noCipher: PasswordCipher = { seal: (_, fileKey) => fileKey, open: () => null };

/** An age file without a password stanza fails with `no_matching_key` before anything is computed. */
async function isForOtherKeys(file: string): Promise<boolean> {
  return decrypt(file, { password: "-", passwordCipher: noCipher }).then(
    () => false,
    (thrown) => thrown instanceof AgeError && thrown.code === "no_matching_key",
  );
}

import { encryptionMessages } from "@kauke/contract";
import { t } from "../../texts/texts.ts";
import { type KeyToImport, VaultError } from "../../vault/vault.ts";

const notAKey = t("This is not an AGE private key. One begins with AGE-SECRET-KEY-1.");

const texts: Readonly<Record<Exclude<KeyToImport["kind"], "key" | "locked">, string>> = {
  several: t("This text contains several private keys. Import them one by one."),
  mismatch: t("The public and the private key in this file do not belong together."),
  public: t("This is a public key. Import the private key that belongs to it."),
};

interface StoredKey {
  keyName: string;
  publicKey: string;
}

/** @returns why the key can't be imported; `null` if nothing is known against it before decryption */
export function importProblem(read: KeyToImport, stored: readonly StoredKey[]): string | null {
  if (read.kind === "locked") return null;
  return read.kind === "key" ? duplicateText(read.publicKey, stored) : texts[read.kind];
}

export function duplicateText(publicKey: string, stored: readonly StoredKey[]): string | null {
  const same = stored.find((key) => key.publicKey === publicKey);
  return same === undefined ? null : t("You have this key already: {keyName}", { keyName: same.keyName });
}

/** Why the key can't be read; `null` if the key itself is not at fault. */
export function unreadableText(thrown: unknown): string | null {
  if (!(thrown instanceof VaultError)) return null;
  if (thrown.code === "bad_private_key") return notAKey;
  if (thrown.code === "too_large") return t("This file is too large to be a key file.");
  if (thrown.code === "not_protected_key" || thrown.code === "malformed" || thrown.code === "not_age")
    return t("This is an AGE file, but not a private key protected by a password.");
  return null;
}

export const keyRequired = encryptionMessages.privateKeyRequired;

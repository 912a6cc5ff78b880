/** Importing a private key: what the text is, and its protected form. Runs in the vault's worker. */
import { AgeError, isPublicKey, openProtectedKey, protectPrivateKey, publicKeyOf, readPrivateKeys } from "@kauke/age";
import { readPastedKey } from "./pasted-key.ts";

/**
 * `locked`: protected by a password, so whose it is shows only once it is open. `mismatch`: the file names a public key that is not
 * its private key's. `public`: a public key alone.
 */
export type KeyToImport =
  | { kind: "key"; publicKey: string; keyName: string | null }
  | { kind: "locked" | "several" | "mismatch" | "public" };

/** @throws AgeError `bad_private_key`, `too_large` */
export async function readKeyToImport(text: string): Promise<KeyToImport> {
  const pasted = readPastedKey(text);
  if (pasted.kind === "locked") return { kind: "locked" };
  if (isPublicKey(pasted.text)) return { kind: "public" };
  if (readPrivateKeys(pasted.text).length > 1) return { kind: "several" };
  const publicKey = await publicKeyOf(pasted.text);
  if (pasted.publicKey !== undefined && pasted.publicKey.trim() !== publicKey) return { kind: "mismatch" };
  return { kind: "key", publicKey, keyName: pasted.keyName ?? null };
}

export interface ImportWish {
  keyName: string;
  /** Of a locked file the one that it was made with. */
  masterPassword: string;
  text: string;
}

/**
 * As a new key is: wrapped, and opened again to prove that it can be. A locked file in our form is kept as it is.
 * @throws AgeError `bad_private_key`, `bad_password`, `wrong_password`, `not_protected_key`, `malformed`
 */
export async function importPrivateKey({ keyName, masterPassword: password, text }: ImportWish) {
  const pasted = readPastedKey(text);
  if (pasted.kind === "locked") {
    const { publicKey } = await openProtectedKey(pasted.text, { password });
    return { publicKey, encryptedPrivateKey: pasted.text };
  }
  const publicKey = await publicKeyOf(pasted.text);
  const key = { privateKey: pasted.text, password, keyName, createdAt: new Date() };
  const encryptedPrivateKey = await protectPrivateKey(key);
  const opened = await openProtectedKey(encryptedPrivateKey, { password });
  if (opened.publicKey !== publicKey) throw new AgeError("malformed");
  return { publicKey, encryptedPrivateKey };
}

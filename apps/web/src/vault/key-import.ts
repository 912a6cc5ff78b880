/** Imports a private key: detects what the text is, and encrypts it for storage. Runs in the vault's worker. */
import { AgeError, isPublicKey, openProtectedKey, protectPrivateKey, publicKeyOf, readPrivateKeys } from "@kauke/age";
import { readPastedKey } from "./pasted-key.ts";

/**
 * What a text to be imported contains. `locked`: a private key encrypted with a password, so its public key is known
 * only after decryption. `mismatch`: a file that names a public key other than that of its private key. `public`: only
 * a public key.
 */
export type KeyToImport =
  | { kind: "key"; publicKey: string; keyName: string | null }
  | { kind: "locked" | "several" | "mismatch" | "public" };

/** Detects what a text to be imported contains. @throws AgeError `bad_private_key`, `too_large` */
export async function readKeyToImport(text: string): Promise<KeyToImport> {
  const pasted = readPastedKey(text);
  if (pasted.kind === "locked") return { kind: "locked" };
  if (isPublicKey(pasted.text)) return { kind: "public" };
  if (readPrivateKeys(pasted.text).length > 1) return { kind: "several" };
  const publicKey = await publicKeyOf(pasted.text);
  if (pasted.publicKey !== undefined && pasted.publicKey.trim() !== publicKey) return { kind: "mismatch" };
  return { kind: "key", publicKey, keyName: pasted.keyName ?? null };
}

interface ImportInput {
  keyName: string;
  /** For a locked file, the password it was encrypted with. */
  masterPassword: string;
  text: string;
}

/**
 * Encrypts a private key with the master password and decrypts it again as a check, as for a new key. A locked file in
 * our own format is kept unchanged.
 * @throws AgeError `bad_private_key`, `bad_password`, `wrong_password`, `not_protected_key`, `malformed`
 */
export async function importPrivateKey({ keyName, masterPassword: password, text }: ImportInput) {
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

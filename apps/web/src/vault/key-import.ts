/** Imports a private key, in the vault's worker. */
import { AgeError, isPublicKey, openProtectedKey, protectPrivateKey, publicKeyOf, readPrivateKeys } from "@kauke/age";
import { readPastedKey } from "./pasted-key.ts";

/** `locked`: encrypted with a password, so the public key is unknown. `mismatch`: the file names another public key. */
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

interface ImportInput {
  keyName: string;
  /** A locked file's own password, or a new one for any other key. */
  masterPassword: string;
  text: string;
}

/** Encrypts the key, then decrypts it as a check; a locked file of our own format stays as it is. @throws AgeError */
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

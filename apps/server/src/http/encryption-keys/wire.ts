/**
 * Converts encryption keys between core and the wire. One request body serves both of the specification's ways to
 * create a key: by the server with a master password, or in the browser.
 */
import type { Body, EncryptionKeyWire } from "@kauke/contract";
import type { EncryptionKey, NewKeyInput } from "../../core/encryption-key.ts";

export function encryptionKeyToWire({
  id,
  keyName,
  publicKey,
  createdAt,
  isDefault,
}: EncryptionKey): EncryptionKeyWire {
  return { id, keyName, publicKey, createdAt: createdAt.toISOString(), isDefault };
}

/**
 * Converts the request for a new key. The contract guarantees that it has either a master password, or both the public
 * and the encrypted private key.
 */
export function newKeyFromWire(userId: string, body: Body<"createEncryptionKey">): NewKeyInput {
  const { keyName, masterPassword, publicKey = "", encryptedPrivateKey = "", isDefault = false } = body;
  const key = masterPassword === undefined ? { publicKey, encryptedPrivateKey } : { masterPassword };
  return { userId, keyName, isDefault, key };
}

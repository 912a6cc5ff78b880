/** Encryption keys on the wire; the specification's two ways to make one come in one body. */
import type { Body, EncryptionKeyWire } from "@kauke/contract";
import type { NewKeyWish } from "../../core/encryption-key/create-encryption-key.ts";
import type { EncryptionKey } from "../../core/encryption-key/encryption-key.ts";

export function encryptionKeyToWire({
  id,
  keyName,
  publicKey,
  createdAt,
  isDefault,
}: EncryptionKey): EncryptionKeyWire {
  return { id, keyName, publicKey, createdAt: createdAt.toISOString(), isDefault };
}

/** The contract has seen to it that exactly one of the two forms is whole. */
export function newKeyFromWire(userId: string, body: Body<"createEncryptionKey">): NewKeyWish {
  const { keyName, masterPassword, publicKey = "", encryptedPrivateKey = "", isDefault = false } = body;
  const key = masterPassword === undefined ? { publicKey, encryptedPrivateKey } : { masterPassword };
  return { userId, keyName, isDefault, key };
}

import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import type { EncryptionKey } from "./encryption-key.ts";

export const KEY_NOT_FOUND = "Encryption key not found";

export interface KeyOfUser {
  userId: string;
  keyId: string;
}

/** Reads the key with its protected private key. @throws AppError `not_found`, also for another user's key */
export async function findEncryptionKey(
  { encryptionKeys }: Pick<CoreDeps, "encryptionKeys">,
  { userId, keyId }: KeyOfUser,
): Promise<EncryptionKey & { encryptedPrivateKey: string }> {
  const key = await encryptionKeys.find(userId, keyId);
  if (key === null) throw new AppError("not_found", { message: KEY_NOT_FOUND });
  return key;
}

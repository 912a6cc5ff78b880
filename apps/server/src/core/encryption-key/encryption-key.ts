/**
 * A public key, stored with its private key as an age file under the user's master password, which the server does not
 * have.
 */
export interface EncryptionKey {
  id: string;
  userId: string;
  keyName: string;
  /** An age recipient: `age1…`, or post-quantum `age1pq1…`. */
  publicKey: string;
  /** Whether this is the default key of the account; every account with keys has exactly one default key. */
  isDefault: boolean;
  createdAt: Date;
}

export interface NewEncryptionKey extends EncryptionKey {
  /** Whether the key should become the default; an account's first key becomes the default in any case. */
  isDefault: boolean;
  /** Private key as an armored age file that the master password opens. */
  encryptedPrivateKey: string;
}

export interface EncryptionKeyStore {
  /** Keys of the account, newest first. */
  listForUser(userId: string): Promise<EncryptionKey[]>;
  count(userId: string): Promise<number>;
  find(userId: string, keyId: string): Promise<(EncryptionKey & { encryptedPrivateKey: string }) | null>;
  /**
   * Inserts the key. If it becomes the default, the former default key no longer is.
   * @returns the stored key; `null` when the account no longer exists or already has `max` keys, even under concurrent
   * calls
   */
  insert(key: NewEncryptionKey, max: number): Promise<EncryptionKey | null>;
  /** Makes a key the default one of its account. @returns `null` when the key does not belong to this user */
  makeDefault(userId: string, keyId: string): Promise<EncryptionKey | null>;
  /**
   * Deletes the key. If it was the default, the newest remaining key becomes the default.
   * @throws AppError `key_in_use` while forwarded mail is encrypted to it
   */
  delete(userId: string, keyId: string): Promise<boolean>;
}

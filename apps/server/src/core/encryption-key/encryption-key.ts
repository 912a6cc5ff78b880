/** A public key and its private key as an age file under a master password, which no process of ours can open by itself. */
export interface EncryptionKey {
  id: string;
  userId: string;
  keyName: string;
  /** `age1…`, post-quantum `age1pq1…` */
  publicKey: string;
  /** Of all keys of an account exactly one is. */
  isDefault: boolean;
  createdAt: Date;
}

export interface NewEncryptionKey extends EncryptionKey {
  /** A wish: an account's first key is the default one whatever it says. */
  isDefault: boolean;
  /** Armored. */
  encryptedPrivateKey: string;
}

export interface EncryptionKeyStore {
  /** Newest first. */
  listForUser(userId: string): Promise<EncryptionKey[]>;
  count(userId: string): Promise<number>;
  find(userId: string, keyId: string): Promise<(EncryptionKey & { encryptedPrivateKey: string }) | null>;
  /**
   * A key that becomes the default one takes that from the one that was.
   * @returns the key as it is kept; `null` when the account is gone or has `max` keys already, also when many ask at once
   */
  insert(key: NewEncryptionKey, max: number): Promise<EncryptionKey | null>;
  /** @returns `null` when it is not this user's */
  makeDefault(userId: string, keyId: string): Promise<EncryptionKey | null>;
  /**
   * When it was the default one, the newest other one is from now on.
   * @throws AppError `key_in_use` while forwarded mail is sealed to it
   */
  delete(userId: string, keyId: string): Promise<boolean>;
}

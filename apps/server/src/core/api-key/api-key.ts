/** Keys with which programs make calls for an account. The store has a key's SHA-256 only; its name is sealed. */
import type { KeyScope } from "@kauke/contract";

/** What a call is authorised by: a login session may do everything, a key what its scopes allow. */
export type CallerKind = "session" | "key";

export interface ApiKey {
  id: string;
  userId: string;
  name: string;
  scopes: readonly KeyScope[];
  /** When the key stops working; `null`: never. */
  expiresAt: Date | null;
  /** Day of the last use, e.g. `2026-03-01` (UTC); `null`: not used yet. */
  lastUsedOn: string | null;
  createdAt: Date;
}

/** What a request needs to know of its key. */
export type FoundApiKey = Pick<ApiKey, "id" | "userId" | "scopes" | "expiresAt" | "lastUsedOn">;

export interface ApiKeyStore {
  /** Keys of the account, newest first, including expired ones. */
  listForUser(userId: string): Promise<ApiKey[]>;
  /**
   * Stores a key.
   * @returns false when the account no longer exists or already has `max` keys, even under concurrent calls
   */
  insert(key: ApiKey & { hash: Buffer }, max: number): Promise<boolean>;
  /** Finds a key in one prepared query, which is never cached: a revoked key is unknown at once in every process. */
  find(hash: Buffer): Promise<FoundApiKey | null>;
  /** Stores the day of a key's last use, unless it is stored already. */
  noteUse(keyId: string, day: string): Promise<void>;
  /** Revokes one key. @returns false when the account had no key with this id */
  deleteById(userId: string, keyId: string): Promise<boolean>;
  /** Revokes all keys of the account. @returns how many */
  deleteForUser(userId: string): Promise<number>;
  /** Deletes keys that expired before `before`. @returns how many */
  deleteExpired(before: Date): Promise<number>;
}

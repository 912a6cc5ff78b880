/** API keys, with which programs make calls for an account. Only the key's SHA-256 is stored; its name is sealed. */
import type { KeyScope } from "@kauke/contract";

/**
 * What authorises a call: a login session, which may do everything, or an API key, which may do what its scopes allow.
 */
export type CallerKind = "session" | "key";

export interface ApiKey {
  id: string;
  userId: string;
  name: string;
  scopes: readonly KeyScope[];
  /** Time from which the key is refused; `null` if it never expires. */
  expiresAt: Date | null;
  /** Day on which the key was last used, e.g. `2026-03-01` (UTC); `null` if it was never used. */
  lastUsedOn: string | null;
  createdAt: Date;
}

/** Fields of an API key that are needed to authorise a request. */
export type FoundApiKey = Pick<ApiKey, "id" | "userId" | "scopes" | "expiresAt" | "lastUsedOn">;

export interface ApiKeyStore {
  /** API keys of the account, newest first, including expired ones. */
  listForUser(userId: string): Promise<ApiKey[]>;
  /**
   * Stores a new API key.
   * @returns false when the account no longer exists or already has `max` keys, even under concurrent calls
   */
  insert(key: ApiKey & { hash: Buffer }, max: number): Promise<boolean>;
  /** Finds an API key with one prepared query and no cache, so that every process refuses a revoked key at once. */
  find(hash: Buffer): Promise<FoundApiKey | null>;
  /** Stores the day of an API key's last use, unless that day is stored already. */
  noteUse(keyId: string, day: string): Promise<void>;
  /**
   * Revokes one API key.
   * @returns false when the account has no key with this id
   */
  deleteById(userId: string, keyId: string): Promise<boolean>;
  /**
   * Revokes all API keys of the account.
   * @returns number of revoked keys
   */
  deleteForUser(userId: string): Promise<number>;
  /**
   * Deletes API keys that expired before this time.
   * @returns number of deleted keys
   */
  deleteExpired(before: Date): Promise<number>;
}

import type { Alias, AliasRoute, AliasRouting, AliasSealing } from "./alias.ts";

export interface AliasChange {
  name?: string;
  notes?: string | null;
  routing?: AliasRouting;
  /** 32 bytes. */
  webhookSecret?: Buffer;
  sealTo?: AliasSealing;
}

/** Repository of aliases. Every call of a person is bound to `userId`: another's alias reads as absent. */
export interface AliasStore {
  /** Newest first. */
  listForUser(userId: string): Promise<Alias[]>;
  listWithSmtp(userId: string): Promise<Alias[]>;
  find(userId: string, aliasId: string): Promise<Alias | null>;
  /** @throws AppError `alias_taken`, or `alias_released` while another account's former address is held back */
  insert(alias: Alias): Promise<void>;
  /**
   * Reads the row under lock, lets `change` decide, writes. Pausing or renaming takes effect on the mail path at once.
   * @returns the alias after the change, `null` when it is not this user's
   * @throws AppError `alias_taken`, `alias_released`, `invalid` for a key that is not the account's, and whatever `change` throws
   */
  update(userId: string, aliasId: string, change: (alias: Alias) => AliasChange): Promise<Alias | null>;
  /** Deletes and holds the address back for its former account. @returns false when it is not this user's */
  delete(userId: string, aliasId: string): Promise<boolean>;
  /** Mail path: always asks the store; `null` for an address nobody owns. @param address `name@domain`, lower case */
  findRoute(address: string): Promise<AliasRoute | null>;
  /** Mail path, retries: the same by id, paused or not. */
  findRouteById(aliasId: string): Promise<AliasRoute | null>;
  /** At most 16 of the ids from `first` to `last`, both included; uuids in lower case. */
  findIdsBetween(first: string, last: string): Promise<string[]>;
  count(): Promise<number>;
  /** Tells when cached routes may be stale: one address' blind key, or all of them. */
  onRouteChange(listener: (change: { aliasId: string } | "all") => void): void;
}

import type { Alias, AliasRoute, AliasRouting, AliasSealing } from "./alias.ts";

export interface AliasChange {
  name?: string;
  notes?: string | null;
  routing?: AliasRouting;
  /** Key that signs the alias' webhook calls, 32 bytes. */
  webhookSecret?: Buffer;
  sealTo?: AliasSealing;
}

/** Which cached routes may be stale: that of one alias, those of one account, or all. */
export type RouteChange = { aliasId: string } | { userId: string } | "all";

/** Repository of aliases. Methods that take a `userId` treat another user's alias as absent. */
export interface AliasStore {
  /** Aliases of the account, newest first. */
  listForUser(userId: string): Promise<Alias[]>;
  /** Active aliases of the account with active SMTP credentials, newest first. */
  listWithSmtp(userId: string): Promise<Alias[]>;
  find(userId: string, aliasId: string): Promise<Alias | null>;
  /** Whether this account could take the address now: no alias has it, and it is not reserved for another account. */
  isFree(userId: string, address: string): Promise<boolean>;
  /**
   * Stores a new alias.
   * @throws AppError `alias_taken`; `alias_released` while the address is reserved for another account that had it
   * before
   */
  insert(alias: Alias): Promise<void>;
  /**
   * Locks the row, calls `change` with the alias and writes the result. Pausing and renaming apply to mail at once.
   * @returns the alias after the change, `null` when it does not belong to this user
   * @throws AppError `alias_taken`, `alias_released`, `invalid` for a key that is not the account's, and whatever
   * `change` throws
   */
  update(userId: string, aliasId: string, change: (alias: Alias) => AliasChange): Promise<Alias | null>;
  /**
   * Deletes the alias and reserves its address for this account.
   * @returns false when it does not belong to this user
   */
  delete(userId: string, aliasId: string): Promise<boolean>;
  /**
   * Looks up the route of an address for the mail path, uncached; `null` for an address that no account owns.
   * @param address `name@domain`, lower case
   */
  findRoute(address: string): Promise<AliasRoute | null>;
  /** Looks up a route by alias id, for retries, whether or not the alias is paused. */
  findRouteById(aliasId: string): Promise<AliasRoute | null>;
  /** Lists at most 16 ids of existing aliases, from `first` to `last` inclusive; UUIDs in lower case. */
  findIdsBetween(first: string, last: string): Promise<string[]>;
  count(): Promise<number>;
  /**
   * Calls the listener when cached routes may be stale. If the listener returns a promise, the method that changed the
   * alias resolves only after it.
   */
  onRouteChange(listener: (change: RouteChange) => void | Promise<void>): void;
  /** Whether `onRouteChange` reports every change, because no other process uses the database. */
  readonly reportsAllChanges: boolean;
}

import type { ErrorCode } from "@kauke/contract";
import type { AddressStanding } from "../import/import.ts";
import type { Alias, AliasEncryption, AliasRoute, AliasRouting } from "./alias.ts";

export interface AliasChange {
  name?: string;
  notes?: string | null;
  routing?: AliasRouting;
  /** Key that signs the alias' webhook calls, 32 bytes. */
  webhookSecret?: Buffer;
  sealTo?: AliasEncryption;
  /** Ids of all labels that the alias has after the change. */
  labels?: readonly string[];
  pinned?: boolean;
  writeByAddress?: boolean;
}

/** Changes that can be applied to many aliases at once: none of them changes an address, key or secret. */
export type ManyAliasesChange = Pick<AliasChange, "routing" | "labels" | "pinned">;

/** Result of changing or deleting many aliases. */
export interface ManyChanged {
  /** Number of aliases in the requested state, including those that were in it before. */
  changed: number;
  /** Error codes by alias id, for the aliases that could not be changed. */
  failed: Map<string, ErrorCode>;
}

/** Which cached routes may be stale: that of one alias, those of one account, or all. */
export type RouteChange = { aliasId: string } | { userId: string } | "all";

/** Repository of aliases. Methods that take a `userId` treat another user's alias as absent. */
export interface AliasStore {
  /**
   * Aliases of the account, newest first. Up to 10,000, in an array that other requests of the account share: go through
   * it with `mapInSlices`, and use the methods below where a few aliases or a number will do.
   */
  listForUser(userId: string): Promise<readonly Alias[]>;
  /** Those of the aliases that are the account's, newest first. @param aliasIds at most some hundred */
  findMany(userId: string, aliasIds: readonly string[]): Promise<Alias[]>;
  /** Yields the aliases of the account page by page, read from the database as the iterator advances. */
  pagesForUser(userId: string): AsyncIterable<readonly Alias[]>;
  /** Active aliases of the account with active SMTP credentials, newest first. */
  listWithSmtp(userId: string): Promise<readonly Alias[]>;
  find(userId: string, aliasId: string): Promise<Alias | null>;
  /**
   * Whether this account could create an alias with this address now: no alias has it, and it is not reserved for
   * another account.
   */
  isFree(userId: string, address: string): Promise<boolean>;
  /**
   * Stores a new alias.
   * @throws AppError `alias_taken`; `alias_released` while the address is reserved for another account that had it
   * before
   */
  insert(alias: Alias): Promise<void>;
  /**
   * Looks up in two queries who has these addresses: this account or another one. Free addresses are absent from the
   * result.
   * @param addresses `name@domain`, lower case
   */
  standing(userId: string, addresses: readonly string[]): Promise<Map<string, AddressStanding>>;
  /**
   * Locks the row, calls `change` with the alias and writes the result. Pausing and renaming apply to mail at once.
   * @param network network of the client, counted for the address that a new name releases; `null` when unknown
   * @returns the alias after the change, `null` when it does not belong to this user
   * @throws AppError `alias_taken`, `alias_released`, `rate_limited` when the address can't be released yet, `invalid`
   * for a key that is not the account's, and whatever `change` throws
   */
  update(
    userId: string,
    aliasId: string,
    change: (alias: Alias) => AliasChange,
    network?: string | null,
  ): Promise<Alias | null>;
  /**
   * Changes many aliases as `update` changes one, in transactions of 500 aliases with one writing statement each. If a
   * transaction fails, the ones before it stay committed. An alias for which `change` throws an AppError, or that does
   * not belong to this user, stays unchanged and is listed in `failed`.
   * @param aliasIds ids without duplicates
   * @param change returns an empty object for an alias that already is in the requested state
   */
  updateMany(
    userId: string,
    aliasIds: readonly string[],
    change: (alias: Alias) => ManyAliasesChange,
  ): Promise<ManyChanged>;
  /**
   * Deletes many aliases as `delete` deletes one, in transactions of 500 aliases. Those that have to wait are listed in
   * `failed` with `rate_limited`.
   * @param aliasIds ids without duplicates
   */
  deleteMany(userId: string, aliasIds: readonly string[], network?: string | null): Promise<ManyChanged>;
  /**
   * Deletes the alias and reserves its address for this account, within the caps of `release-caps.ts`.
   * @param network network of the client; `null` when unknown
   * @returns false when it does not belong to this user
   * @throws AppError `rate_limited` when the alias was used and the account has too many reserved addresses
   */
  delete(userId: string, aliasId: string, network?: string | null): Promise<boolean>;
  /** Records that somebody wrote to the alias, or tried to, or that it may send: its address is in use. */
  markUsed(aliasId: string): Promise<void>;
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

/** The alias in core. The specification's comma-separated destinations and literal `null` exist only on the wire. */
import type { ErrorCode, Destination as NamedDestination } from "@kauke/contract";

/** A destination with its state. Destinations in requests have no state. */
export type Destination = NamedDestination & {
  /** For webhooks only: ISO time at which the webhook was paused because it answered 410 (Gone). */
  pausedAt?: string;
};

export type AliasRouting =
  | { state: "active"; destinations: Destination[] }
  | { state: "paused"; lastDestinations: Destination[] };

/**
 * `account`: the account's setting applies; `off`: forwarded mail is not encrypted; or the id of an encryption key of
 * the account.
 */
export type AliasEncryption = "account" | "off" | { keyId: string };

export interface Alias {
  id: string;
  userId: string;
  /** Local part as the user typed it; compared case-insensitively. */
  name: string;
  /** Domain of the alias: one of our own, lower case. */
  domain: string;
  routing: AliasRouting;
  notes: string | null;
  /** The forwarding provider's identifier, for a provider other than our own engine. */
  providerId: string | null;
  /** Whether forwarded mail is encrypted, and to which key. */
  sealTo: AliasEncryption;
  /** Ids of the alias' labels; deleted labels are left out. */
  labels: readonly string[];
  /** Whether the alias is pinned: pinned aliases are listed first. */
  pinned: boolean;
  /** Whether the owner may write to send addresses of the alias: `alias+person=host.example@domain`. */
  writeByAddress: boolean;
  createdAt: Date;
}

/**
 * Unconfirmed mailboxes of an alias, by address as the alias spells it: `new` if the mailbox was never asked to confirm,
 * `asked` if it has not answered.
 */
export type UnconfirmedMailboxes = ReadonlyMap<string, "new" | "asked">;

/** All data the mail path needs of an alias, read in one look-up. */
export interface AliasRoute {
  aliasId: string;
  userId: string;
  /** Block of addresses that the account was registered from, as an opaque text; absent when that is unknown. */
  registeredFrom?: string;
  /** Address of the alias: `name@domain`, lower case. */
  address: string;
  /**
   * Destinations to send mail to: without mailboxes that refused or blocked mail or are suspended, and without paused
   * webhooks. Empty while the alias is paused.
   */
  destinations: Destination[];
  /** Mailboxes that have not answered yet whether they want mail. Omitted when there are none. */
  unconfirmed?: UnconfirmedMailboxes;
  /** Mailboxes that have refused mail as nonexistent, including suspended ones. Omitted when there are none. */
  missing?: readonly string[];
  /** URLs of paused webhooks, which get no calls. */
  pausedWebhooks: string[];
  paused: boolean;
  /** Set if the owner may write to send addresses of the alias. */
  writeByAddress?: true;
  /** Set if an import made the alias and nobody has used it since. */
  isUnused?: true;
  /** Key that signs webhook calls of this alias (Standard Webhooks), 32 bytes. */
  webhookSecret: Buffer;
  /** Key from which reply addresses of this alias are derived, 32 bytes. */
  replyKey: Buffer;
  /**
   * Public key (`age1…`) to encrypt forwarded mail to, from the alias' setting or the account's; `null`: not encrypted.
   */
  ageRecipient: string | null;
}

/** Address of an alias, `name@domain` in lower case: the form used for indexing and comparison. */
export function aliasAddress(name: string, domain: string): string {
  return `${name}@${domain}`.toLowerCase();
}

/** URLs of the paused webhooks among the destinations. */
export function pausedWebhooks(destinations: readonly Destination[]): string[] {
  return destinations.flatMap((it) => (it.kind === "webhook" && it.pausedAt !== undefined ? [it.url] : []));
}

/**
 * Domains in display order: the provider's own two first, then the others alphabetically (specification section 9).
 * @param ownDomains as configured, e.g. `["kauke.test", "slapta.test", "vejas.test", "rukas.test"]`
 */
export function listDomains(ownDomains: readonly string[]): string[] {
  const [first, second, ...rest] = ownDomains;
  return [first, second, ...rest.sort()].filter((domain) => domain !== undefined);
}

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

/** Who has an address that an account wants to use; free addresses have no standing. */
export type AddressStanding =
  /** This account has an alias with the address. */
  | { kind: "own"; notes: string | null }
  /** Another account has an alias with the address, or had one until recently. */
  | { kind: "other" };

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

/** The alias in core. Comma-separated destinations and the text `null` exist only on the wire. */
import type { ErrorCode, ForwardToEntry } from "@kauke/contract";

export type Destination = ForwardToEntry & {
  /** ISO time at which a webhook was paused because it responded with 410 (Gone). */
  pausedAt?: string;
};

export type AliasRouting =
  | { state: "active"; destinations: Destination[] }
  | { state: "paused"; lastDestinations: Destination[] };

/** `account`: the account's setting; `off`: not encrypted; or the id of an encryption key of the account. */
export type EncryptionChoice = "account" | "off" | { keyId: string };

export interface Alias {
  id: string;
  userId: string;
  name: string;
  domain: string;
  routing: AliasRouting;
  notes: string | null;
  /** Identifier at a forwarding provider; `null` for aliases of this server's own mail path. */
  providerId: string | null;
  sealTo: EncryptionChoice;
  labels: readonly string[];
  /** Pinned aliases are listed first. */
  pinned: boolean;
  /** Whether the owner may write to send addresses of the alias: `alias+person=host.example@domain`. */
  writeByAddress: boolean;
  createdAt: Date;
  /** When the server deletes the alias, which receives as before until then; absent: never. */
  deletesAt?: Date;
  /** The first mail to the alias made it; absent otherwise, and once the owner keeps it. */
  madeByMail?: MadeByMail;
  /** Shown to correspondents; absent: that of its own domain counts, if there is one. */
  displayName?: string;
}

/** An alias to be stored. */
export interface AliasToInsert extends Alias {
  /** The domain is none of the operator's, so the account must hold it, with mail accepted, when the alias is stored. */
  isOnOwnDomain: boolean;
}

export interface MadeByMail {
  /** Registrable domain of the sender; `null` if nothing proved it. */
  organisation: string | null;
  at: Date;
}

/** Mailboxes as the alias spells them. `new`: no confirmation message was sent yet; `asked`: sent, without a reply. */
export type UnconfirmedMailboxes = ReadonlyMap<string, "new" | "asked">;

export interface AliasRoute {
  aliasId: string;
  userId: string;
  /** Block of addresses that the account was registered from, as an opaque text; absent when that is unknown. */
  registeredFrom?: string;
  address: string;
  /** Destinations that may get mail: no refused, blocked or suspended mailbox, no paused webhook. */
  destinations: Destination[];
  unconfirmed?: UnconfirmedMailboxes;
  /** Mailboxes whose hosts called them nonexistent, including suspended ones. Omitted when there are none. */
  missing?: readonly string[];
  pausedWebhooks: string[];
  paused: boolean;
  writeByAddress?: true;
  isUnused?: true;
  /** Secret of 32 bytes that signs webhook calls (Standard Webhooks). */
  webhookSecret: Buffer;
  /** Key of 32 bytes from which reply addresses are derived. */
  replyKey: Buffer;
  /** Public key (`age1…`) to encrypt forwarded mail to, from the alias or the account; `null`: not encrypted. */
  ageRecipient: string | null;
}

/** The alias' destinations; for a paused alias, those that apply once it is activated again. */
export function destinationsOf({ routing }: Pick<Alias, "routing">): Destination[] {
  return routing.state === "active" ? routing.destinations : routing.lastDestinations;
}

export function mailboxesOf(alias: Pick<Alias, "routing">): string[] {
  return mailboxesAmong(destinationsOf(alias));
}

export function mailboxesAmong(destinations: readonly Destination[]): string[] {
  return destinations.flatMap((one) => (one.kind === "mailbox" ? [one.address] : []));
}

export function withDestinations({ state }: AliasRouting, destinations: Destination[]): AliasRouting {
  return state === "active" ? { state, destinations } : { state, lastDestinations: destinations };
}

export function aliasAddress(name: string, domain: string): string {
  return `${name}@${domain}`.toLowerCase();
}

export function pausedWebhooks(destinations: readonly Destination[]): string[] {
  return destinations.flatMap((one) => (one.kind === "webhook" && one.pausedAt !== undefined ? [one.url] : []));
}

/** The server's first two domains, then the others alphabetically. */
export function listDomains(ownDomains: readonly string[]): string[] {
  const [first, second, ...rest] = ownDomains;
  return [first, second, ...rest.sort()].filter((domain) => domain !== undefined);
}

export interface AliasChange {
  name?: string;
  notes?: string | null;
  routing?: AliasRouting;
  /** New secret of 32 bytes that signs webhook calls. */
  webhookSecret?: Buffer;
  sealTo?: EncryptionChoice;
  labels?: readonly string[];
  pinned?: boolean;
  writeByAddress?: boolean;
  /** Forgets that mail made the alias. */
  madeByMail?: null;
  /** `null` removes it. */
  displayName?: string | null;
}

/** Changes that apply to many aliases at once; none changes an address, key or secret. */
export type ManyAliasesChange = Pick<AliasChange, "routing" | "labels" | "pinned">;

export interface DeleteLater {
  deleteAt: Date;
  network: string | null;
}

export interface ManyChanged {
  changed: number;
  failed: Map<string, ErrorCode>;
}

/** An alias, or all aliases of an account, whose cached routes may be stale. */
export type RouteChange = { aliasId: string } | { userId: string } | "all";

/** Which account has an address, as shown to an account that wants it. Free addresses are left out. */
export type AddressStanding =
  | { kind: "own"; notes: string | null }
  /** Another account has an alias with the address, or its reservation. */
  | { kind: "other" };

/** Methods with a `userId` treat another user's alias as absent. */
export interface AliasStore {
  /** Up to 10,000 aliases, newest first. Requests share the array, so iterate with `mapInSlices`. */
  listForUser(userId: string): Promise<readonly Alias[]>;
  findMany(userId: string, aliasIds: readonly string[]): Promise<Alias[]>;
  pagesForUser(userId: string): AsyncIterable<readonly Alias[]>;
  /** Active aliases with active SMTP credentials, newest first. */
  listWithSmtp(userId: string): Promise<readonly Alias[]>;
  find(userId: string, aliasId: string): Promise<Alias | null>;
  isFree(userId: string, address: string): Promise<boolean>;
  /**
   * @throws AppError `alias_taken`; `alias_released` while the address is reserved for its former owner; `invalid` on an
   * own domain that takes no mail for the account by now
   */
  insert(alias: AliasToInsert): Promise<void>;
  /** Who has the addresses; free ones are left out. @param addresses `name@domain`, lower case */
  standing(userId: string, addresses: readonly string[]): Promise<Map<string, AddressStanding>>;
  /**
   * Locks the row, calls `change` and writes the result. Pausing and renaming apply to mail at once.
   * @returns the changed alias; `null` when it does not belong to this user
   * @throws AppError `alias_taken`, `alias_released`, `rate_limited`, `invalid`, and whatever `change` throws
   */
  update(
    userId: string,
    aliasId: string,
    change: (alias: Alias) => AliasChange,
    network?: string | null,
  ): Promise<Alias | null>;
  /**
   * As `update`, 500 per transaction; `failed` lists unchanged aliases: another user's, or `change` threw an AppError.
   * @param aliasIds without duplicates @param change returns an empty object for an alias already in that state
   */
  updateMany(
    userId: string,
    aliasIds: readonly string[],
    change: (alias: Alias) => ManyAliasesChange,
  ): Promise<ManyChanged>;
  /** As `delete`, 500 per transaction; `failed` lists aliases that have to wait, with `rate_limited`. */
  deleteMany(userId: string, aliasIds: readonly string[], network?: string | null): Promise<ManyChanged>;
  /** Marks aliases, which the server deletes then; an earlier mark stays. `failed` as for `deleteMany`. */
  deleteLater(userId: string, aliasIds: readonly string[], later: DeleteLater): Promise<ManyChanged>;
  /** Cancels planned deletions. Aliases that are deleted already are in `failed`. */
  keepMany(userId: string, aliasIds: readonly string[]): Promise<ManyChanged>;
  /** Reserves the address. @returns false for another user's alias @throws AppError `rate_limited` */
  delete(userId: string, aliasId: string, network?: string | null): Promise<boolean>;
  /** Marks the alias as used: somebody wrote to it or tried to, or it may send. */
  markUsed(aliasId: string): Promise<void>;
  /** Finds a route uncached; `null` when no account owns it. @param address `name@domain`, lower case */
  findRoute(address: string): Promise<AliasRoute | null>;
  /** The route for a retry, also of a paused alias. */
  findRouteById(aliasId: string): Promise<AliasRoute | null>;
  /** The name that correspondents see: the alias' own, else that of its own domain; `null`: none. */
  findDisplayName(aliasId: string): Promise<string | null>;
  /** At most 16 ids from `first` to `last` inclusive; UUIDs in lower case. */
  findIdsBetween(first: string, last: string): Promise<string[]>;
  count(): Promise<number>;
  /** Whether the account may have one more. */
  hasRoom(userId: string): Promise<boolean>;
  /** Adds a listener for stale cached routes; the change resolves only after the listener's promise. */
  onRouteChange(listener: (change: RouteChange) => void | Promise<void>): void;
  /** True if no other process uses the database, so that `onRouteChange` reports every change. */
  readonly reportsAllChanges: boolean;
}

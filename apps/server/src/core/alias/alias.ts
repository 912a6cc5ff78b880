/** The alias in core. The specification's comma-separated destinations and literal `null` exist only on the wire. */
import type { Destination as NamedDestination } from "@kauke/contract";

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

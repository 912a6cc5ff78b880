/** The alias as core sees it. The specification's comma text and literal `null` exist only on the wire. */
import type { Destination as NamedDestination } from "@kauke/contract";

/** With what became of it. As a person names one it is not paused. */
export type Destination = NamedDestination & {
  /** ISO time; webhooks only: it answered that it is gone, and is called no more. */
  pausedAt?: string;
};

export type AliasRouting =
  | { state: "active"; destinations: Destination[] }
  | { state: "paused"; lastDestinations: Destination[] };

/** `account`: as the account says; `off`; or the id of an encryption key of the account. */
export type AliasSealing = "account" | "off" | { keyId: string };

export interface Alias {
  id: string;
  userId: string;
  /** As the person typed it; compared without case. */
  name: string;
  /** One of our domains, lower case. */
  domain: string;
  routing: AliasRouting;
  notes: string | null;
  /** The forwarding provider's identifier, for a provider other than our own engine. */
  providerId: string | null;
  /** Whether mail it forwards is sealed, and to which key. */
  sealTo: AliasSealing;
  createdAt: Date;
}

/** Mailboxes of a route that are not confirmed, by address as the alias spells it. */
export type UnconfirmedMailboxes = ReadonlyMap<string, "new" | "asked">;

/** What the mail path needs of an alias, from one look-up. */
export interface AliasRoute {
  aliasId: string;
  userId: string;
  /** Lower case, `name@domain`. */
  address: string;
  /** Destinations that mail is sent to. Empty while the alias is paused; mailboxes that refused confirmation or are suspended are left out. */
  destinations: Destination[];
  /** Left out when all mailboxes are confirmed. */
  unconfirmed?: UnconfirmedMailboxes;
  /** Mailboxes that refused mail as not existing, those that are suspended included. Left out when there are none. */
  missing?: readonly string[];
  /** URLs of webhooks that are called no more. */
  pausedWebhooks: string[];
  paused: boolean;
  /** 32 bytes; signs webhook calls of this alias (Standard Webhooks). */
  webhookSecret: Buffer;
  /** 32 bytes; makes this alias' reply addresses. */
  replyKey: Buffer;
  /** Public key (`age1…`) that what it forwards is sealed to, by the alias' own choice or the account's; `null`: not sealed. */
  sealKey: string | null;
}

/** `name@domain` in lower case: the form that is indexed and compared. */
export function aliasAddress(name: string, domain: string): string {
  return `${name}@${domain}`.toLowerCase();
}

/** URLs of those that are called no more. */
export function pausedWebhooks(destinations: readonly Destination[]): string[] {
  return destinations.flatMap((it) => (it.kind === "webhook" && it.pausedAt !== undefined ? [it.url] : []));
}

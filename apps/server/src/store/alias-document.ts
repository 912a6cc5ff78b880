/** The sealed document of an alias, and its way to and from core's words. Pure. */
import type { Alias, AliasRoute, AliasRouting, Destination } from "../core/alias/alias.ts";
import { aliasAddress, pausedWebhooks } from "../core/alias/alias.ts";
import type { AliasChange } from "../core/alias/alias-store.ts";

export interface AliasDocument {
  name: string;
  domain: string;
  notes: string | null;
  /** Empty while paused. */
  destinations: Destination[];
  /** What a paused alias goes back to; empty while active. */
  lastDestinations: Destination[];
  /** 32 bytes, base64: makes the alias' reply addresses, and is gone with it. */
  replyKey: string;
  /** 32 bytes, base64: signs webhook calls. */
  webhookSecret: string;
  providerId: string | null;
}

interface AliasRow {
  id: string;
  user_id: string;
  active: boolean;
  created_at: Date;
}

const KEY_BYTES = 32;

export function documentOfNew(alias: Alias, randomBytes: (length: number) => Buffer): AliasDocument {
  const { name, domain, notes, providerId } = alias;
  return {
    ...{ name, domain, notes, providerId },
    ...destinationsOf(alias.routing),
    replyKey: randomBytes(KEY_BYTES).toString("base64"),
    webhookSecret: randomBytes(KEY_BYTES).toString("base64"),
  };
}

export function documentOfChange(before: AliasDocument, change: AliasChange): AliasDocument {
  return {
    ...before,
    name: change.name ?? before.name,
    notes: change.notes === undefined ? before.notes : change.notes,
    ...(change.routing === undefined ? {} : destinationsOf(change.routing)),
    webhookSecret: change.webhookSecret?.toString("base64") ?? before.webhookSecret,
  };
}

function destinationsOf(routing: AliasRouting): Pick<AliasDocument, "destinations" | "lastDestinations"> {
  return routing.state === "active"
    ? { destinations: routing.destinations, lastDestinations: [] }
    : { destinations: [], lastDestinations: routing.lastDestinations };
}

export function toAlias(row: AliasRow, document: AliasDocument): Alias {
  const routing: AliasRouting = row.active
    ? { state: "active", destinations: document.destinations }
    : { state: "paused", lastDestinations: document.lastDestinations };
  const { name, domain, notes, providerId } = document;
  return { id: row.id, userId: row.user_id, name, domain, routing, notes, providerId, createdAt: row.created_at };
}

export function toRoute(row: Omit<AliasRow, "created_at">, document: AliasDocument): AliasRoute {
  return {
    aliasId: row.id,
    userId: row.user_id,
    address: aliasAddress(document.name, document.domain),
    destinations: row.active ? document.destinations.filter((it) => it.pausedAt === undefined) : [],
    pausedWebhooks: pausedWebhooks([...document.destinations, ...document.lastDestinations]),
    paused: !row.active,
    webhookSecret: Buffer.from(document.webhookSecret, "base64"),
    replyKey: Buffer.from(document.replyKey, "base64"),
  };
}

import type { ConfirmationState } from "@kauke/contract";
import {
  type Alias,
  type AliasChange,
  type AliasRoute,
  type AliasRouting,
  aliasAddress,
  type Destination,
  type EncryptionChoice,
  pausedWebhooks,
  type UnconfirmedMailboxes,
} from "../../../core/alias/alias.ts";
import { registeredFromText } from "../accounts/user-document.ts";

export interface AliasDocument {
  name: string;
  domain: string;
  notes: string | null;
  destinations: Destination[];
  lastDestinations: Destination[];
  /** Key of 32 bytes in base64 from which reply addresses are derived. */
  replyKey: string;
  /** Key of 32 bytes in base64 that signs webhook calls. */
  webhookSecret: string;
  providerId: string | null;
  labels?: readonly string[];
  pinned?: boolean;
  writeByAddress?: boolean;
  /** `at`: ISO time. */
  madeByMail?: { organisation: string | null; at: string };
  displayName?: string;
}

export interface AliasRow {
  id: string;
  user_id: string;
  active: boolean;
  created_at: Date;
  seal_off: boolean;
  seal_key_id: string | null;
  delete_at: Date | null;
}

export function encryptionColumns(sealTo: EncryptionChoice): Pick<AliasRow, "seal_off" | "seal_key_id"> {
  return { seal_off: sealTo === "off", seal_key_id: typeof sealTo === "string" ? null : sealTo.keyId };
}

function encryptionOf({ seal_off, seal_key_id }: AliasRow): EncryptionChoice {
  if (seal_off) return "off";
  return seal_key_id === null ? "account" : { keyId: seal_key_id };
}

const KEY_BYTES = 32;

export function documentOfNew(alias: Alias, randomBytes: (length: number) => Buffer): AliasDocument {
  const { name, domain, notes, providerId, labels, pinned, writeByAddress, madeByMail, displayName } = alias;
  return {
    name,
    domain,
    notes,
    providerId,
    labels,
    pinned,
    writeByAddress,
    displayName,
    ...(madeByMail && { madeByMail: { ...madeByMail, at: madeByMail.at.toISOString() } }),
    ...destinationsOf(alias.routing),
    replyKey: randomBytes(KEY_BYTES).toString("base64"),
    webhookSecret: randomBytes(KEY_BYTES).toString("base64"),
  };
}

export function documentOfChange(before: AliasDocument, change: AliasChange): AliasDocument {
  const { madeByMail, displayName: nameBefore, ...others } = before;
  const displayName = change.displayName === undefined ? nameBefore : (change.displayName ?? undefined);
  return {
    ...others,
    ...(madeByMail === undefined || change.madeByMail === null ? {} : { madeByMail }),
    ...(displayName === undefined ? {} : { displayName }),
    name: change.name ?? before.name,
    notes: change.notes === undefined ? before.notes : change.notes,
    ...(change.routing === undefined ? {} : destinationsOf(change.routing)),
    webhookSecret: change.webhookSecret?.toString("base64") ?? before.webhookSecret,
    labels: change.labels ?? before.labels ?? [],
    pinned: change.pinned ?? before.pinned ?? false,
    writeByAddress: change.writeByAddress ?? before.writeByAddress ?? false,
  };
}

function destinationsOf(routing: AliasRouting): Pick<AliasDocument, "destinations" | "lastDestinations"> {
  return routing.state === "active"
    ? { destinations: routing.destinations, lastDestinations: [] }
    : { destinations: [], lastDestinations: routing.lastDestinations };
}

/** @param known ids of existing labels */
export function toAlias(row: AliasRow, document: AliasDocument, known: ReadonlySet<string>): Alias {
  const routing: AliasRouting = row.active
    ? { state: "active", destinations: document.destinations }
    : { state: "paused", lastDestinations: document.lastDestinations };
  const { name, domain, notes, providerId, madeByMail, displayName } = document;
  return {
    id: row.id,
    userId: row.user_id,
    name,
    domain,
    routing,
    notes,
    providerId,
    sealTo: encryptionOf(row),
    labels: (document.labels ?? []).filter((id) => known.has(id)),
    pinned: document.pinned ?? false,
    writeByAddress: document.writeByAddress ?? false,
    createdAt: row.created_at,
    ...(row.delete_at === null ? {} : { deletesAt: row.delete_at }),
    ...(madeByMail && { madeByMail: { ...madeByMail, at: new Date(madeByMail.at) } }),
    ...(displayName === undefined ? {} : { displayName }),
  };
}

export interface MailboxStanding {
  stateOf(address: string): ConfirmationState;
  /** Whether a mailbox is suspended; `null` if no mailbox of the account refused mail as nonexistent. */
  missing: ((address: string) => "counted" | "suspended" | null) | null;
}

const refusedStates = new Set<ConfirmationState | undefined>(["refused", "blocked"]);

/** @param ageRecipient public key; `null`: mail is not encrypted */
export function toRoute(
  row: Pick<AliasRow, "id" | "user_id" | "active"> & { fresh: string | null; registered_from_index: Buffer | null },
  document: AliasDocument,
  { ageRecipient, ...standing }: MailboxStanding & { ageRecipient: string | null },
): AliasRoute {
  const states = new Map(mailboxesOf(document).map((address) => [address, standing.stateOf(address)]));
  const isRefused = (destination: Destination) =>
    destination.kind === "mailbox" && refusedStates.has(states.get(destination.address));
  const missing =
    standing.missing === null ? [] : mailboxesOf(document).filter((address) => standing.missing?.(address) !== null);
  const isSuspended = (destination: Destination) =>
    destination.kind === "mailbox" && standing.missing?.(destination.address) === "suspended";
  const isOpen = (destination: Destination) =>
    destination.pausedAt === undefined && !isRefused(destination) && !isSuspended(destination);
  const unconfirmed = unconfirmedOf(states);
  const registeredFrom = registeredFromText(row.registered_from_index);
  return {
    aliasId: row.id,
    userId: row.user_id,
    ...(registeredFrom === undefined ? {} : { registeredFrom }),
    address: aliasAddress(document.name, document.domain),
    destinations: row.active ? document.destinations.filter(isOpen) : [],
    ...(unconfirmed === null ? {} : { unconfirmed }),
    ...(missing.length === 0 ? {} : { missing }),
    pausedWebhooks: pausedWebhooks([...document.destinations, ...document.lastDestinations]),
    paused: !row.active,
    ...(document.writeByAddress === true ? { writeByAddress: true as const } : {}),
    ...(row.fresh === null ? {} : { isUnused: true as const }),
    webhookSecret: readKey(document.webhookSecret),
    replyKey: readKey(document.replyKey),
    ageRecipient,
  };
}

/** Copies a key: a route may be cached for long, and Buffer's pool would keep 64 KiB for each. */
function readKey(base64: string): Buffer {
  const key = Buffer.allocUnsafeSlow(KEY_BYTES);
  return key.subarray(0, key.write(base64, "base64"));
}

function mailboxesOf({ destinations }: AliasDocument): string[] {
  return destinations.flatMap((destination) => (destination.kind === "mailbox" ? [destination.address] : []));
}

function unconfirmedOf(states: ReadonlyMap<string, ConfirmationState>): UnconfirmedMailboxes | null {
  const open = new Map<string, "new" | "asked">();
  for (const [address, state] of states) if (state === "new" || state === "asked") open.set(address, state);
  return open.size === 0 ? null : open;
}

/** Aliases on the wire: comma-separated destinations, `null` for a paused alias, `""` to remove notes. */
import {
  type AliasWire,
  type BulkAliasChange,
  type BulkAliasResponse,
  type CreateAliasBody,
  type ForwardToEntry,
  formatForwardTo,
  parseForwardTo,
  type UpdateAliasBody,
} from "@kauke/contract";
import {
  type Alias,
  type EncryptionChoice,
  type ManyChanged,
  mailboxesOf,
  pausedWebhooks,
} from "../../core/alias/alias.ts";
import type { BulkChange } from "../../core/alias/change-aliases.ts";
import type { NewAlias } from "../../core/alias/create-alias.ts";
import type { AliasUpdateInput } from "../../core/alias/update-alias.ts";
import { type ShownStates } from "../../core/destination/destination.ts";

const PAUSED = "null";

export interface MailboxStandings {
  unconfirmed: ShownStates;
  suspended: ReadonlySet<string>;
}

export function aliasToWire({ routing, ...alias }: Alias, mailboxes: MailboxStandings): AliasWire {
  const unconfirmed = mailboxesOf({ routing }).flatMap((address) => {
    const state = mailboxes.unconfirmed.get(address);
    return state === undefined ? [] : [{ address, state }];
  });
  const suspended = mailboxesOf({ routing }).filter((address) => mailboxes.suspended.has(address));
  const isPaused = routing.state === "paused";
  const { madeByMail, displayName } = alias;
  const gone = pausedWebhooks(isPaused ? routing.lastDestinations : routing.destinations);
  return {
    id: alias.id,
    userId: alias.userId,
    alias: alias.name,
    domain: alias.domain,
    forwardTo: isPaused ? PAUSED : formatForwardTo(routing.destinations),
    active: !isPaused,
    notes: alias.notes,
    lastForwardTo: isPaused ? formatForwardTo(routing.lastDestinations) : null,
    providerId: alias.providerId,
    createdAt: alias.createdAt.toISOString(),
    sealTo: typeof alias.sealTo === "string" ? alias.sealTo : alias.sealTo.keyId,
    labels: [...alias.labels],
    pinned: alias.pinned,
    writeByAddress: alias.writeByAddress,
    ...(gone.length === 0 ? {} : { pausedWebhooks: gone }),
    ...(unconfirmed.length === 0 ? {} : { unconfirmed }),
    ...(suspended.length === 0 ? {} : { suspended }),
    ...(alias.deletesAt === undefined ? {} : { deletesAt: alias.deletesAt.toISOString() }),
    ...(madeByMail === undefined ? {} : { madeByMail: { ...madeByMail, at: madeByMail.at.toISOString() } }),
    ...(displayName === undefined ? {} : { displayName }),
  };
}

export function newAliasFromWire(userId: string, body: CreateAliasBody): NewAlias {
  return {
    userId,
    name: body.alias,
    domain: body.domain,
    destinations: destinationsOfText(body.forwardTo),
    notes: nullIfEmpty(body.notes) ?? null,
    labels: body.labels,
  };
}

export function aliasWishFromWire(body: UpdateAliasBody): AliasUpdateInput {
  return {
    name: body.alias,
    destinations: body.forwardTo === undefined ? undefined : destinationsOfText(body.forwardTo),
    lastDestinations: body.lastForwardTo === undefined ? undefined : destinationsOfText(body.lastForwardTo),
    active: body.active,
    notes: nullIfEmpty(body.notes),
    sealTo: encryptionOf(body.sealTo),
    labels: body.labels,
    pinned: body.pinned,
    writeByAddress: body.writeByAddress,
    madeByMail: body.madeByMail,
    displayName: nullIfEmpty(body.displayName),
    before: body.before,
  };
}

/** @param change has exactly one kind of change, as the contract's schema guarantees */
export function bulkChangeFromWire(change: BulkAliasChange): BulkChange {
  if (change.delete) return { kind: "deletion", inSeconds: change.inSeconds };
  if (change.keep) return { kind: "keep" };
  if (change.active !== undefined) return { kind: "active", active: change.active };
  if (change.pinned !== undefined) return { kind: "pinned", pinned: change.pinned };
  if (change.forwardTo !== undefined)
    return { kind: "destinations", destinations: destinationsOfText(change.forwardTo) };
  return { kind: "labels", add: change.addLabel ?? null, remove: change.removeLabel ?? null };
}

export function bulkResponseToWire({ changed, failed }: ManyChanged): BulkAliasResponse {
  return { changed, failed: [...failed].map(([id, code]) => ({ id, code })) };
}

function encryptionOf(sealTo: string | undefined): EncryptionChoice | undefined {
  return sealTo === undefined || sealTo === "account" || sealTo === "off" ? sealTo : { keyId: sealTo };
}

export function destinationsOfText(forwardTo: string): ForwardToEntry[] {
  const destinations = parseForwardTo(forwardTo);
  if (destinations === null) throw new Error("forwardTo passed the contract and can't be read");
  return destinations;
}

function nullIfEmpty(text: string | undefined): string | null | undefined {
  return text === "" ? null : text;
}

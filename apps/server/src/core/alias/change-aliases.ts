import { aliasMessages, labelMessages, limits } from "@kauke/contract";
import type { CallerKind } from "../api-key.ts";
import { AppError, fieldError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { exactMailbox } from "../destination/same-mailbox.ts";
import { type MailboxDestination, mailboxDestinations } from "../mailbox/account-defaults.ts";
import { type MailboxDeps, readStates } from "../mailbox/list-mailboxes.ts";
import { type LimitDeps, takeLimit, takeWeightedLimit } from "../take-limit.ts";
import {
  type Alias,
  type Destination,
  destinationsOf,
  type ManyAliasesChange,
  type ManyChanged,
  withDestinations,
} from "./alias.ts";
import {
  confirmedAmong,
  loopErrors,
  nextRouting,
  refuseBlocked,
  refuseFieldErrors,
  refuseUnconfirmed,
} from "./alias-rules.ts";

export type BulkChange =
  | { kind: "active"; active: boolean }
  | { kind: "labels"; add: string | null; remove: string | null }
  | { kind: "destinations"; destinations: Destination[] }
  | { kind: "pinned"; pinned: boolean }
  | { kind: "deletion"; inSeconds?: number | undefined }
  | { kind: "keep" };

/** Minimum number of aliases that one request counts as for the rate limit. */
const WEIGHT_MIN = 100;

type BulkDeps = Pick<CoreDeps, "aliases" | "labels" | "destinations" | "mailboxes" | "confirmation" | "mailDomains"> &
  Pick<CoreDeps, "clock" | "rateLimits" | "limitRules">;

export interface ChangeOfMany {
  userId: string;
  aliasIds: readonly string[];
  change: BulkChange;
  by: CallerKind;
  clientAddress?: string;
}

/** Aliases that can't be changed are listed in the result. @throws AppError `invalid`, `rate_limited` */
export async function changeAliases(
  deps: BulkDeps,
  { userId, aliasIds, change, by, clientAddress }: ChangeOfMany,
): Promise<ManyChanged> {
  const ids = [...new Set(aliasIds)];
  if (change.kind === "destinations") refuseFieldErrors(loopErrors("forwardTo", change.destinations, deps.mailDomains));
  const weight = Math.max(WEIGHT_MIN, ids.length);
  // Undoing a deletion is no change of its own, so it does not use up the account's changes of many.
  await takeWeightedLimit(deps, change.kind === "keep" ? "alias_keep" : "alias_bulk", { userId, weight });
  if (change.kind === "keep") return await deps.aliases.keepMany(userId, ids);
  if (change.kind === "destinations") await refuseBlocked(deps, "forwardTo", change.destinations);
  if (change.kind === "labels" && change.add !== null) await refuseUnknownLabel(deps, userId, change.add);
  if (change.kind === "deletion") return await deleteAliases(deps, { userId, ids, clientAddress, ...change });
  const isKeyRedirecting = by === "key" && change.kind === "destinations";
  const confirmed = isKeyRedirecting ? await confirmedAmong(deps, userId, change.destinations) : null;
  return await deps.aliases.updateMany(userId, ids, (alias) => {
    if (confirmed !== null && change.kind === "destinations")
      refuseUnconfirmed("forwardTo", { wanted: change.destinations, before: destinationsOf(alias), confirmed });
    return decideChange(alias, change);
  });
}

interface DeletionOfMany {
  userId: string;
  ids: readonly string[];
  clientAddress: string | undefined;
  inSeconds?: number | undefined;
}

function deleteAliases({ aliases, clock }: BulkDeps, { userId, ids, clientAddress, inSeconds }: DeletionOfMany) {
  if (inSeconds === undefined) return aliases.deleteMany(userId, ids, clientAddress);
  const deleteAt = new Date(clock.now().getTime() + inSeconds * 1000);
  return aliases.deleteLater(userId, ids, { deleteAt, network: clientAddress ?? null });
}

async function refuseUnknownLabel({ labels }: BulkDeps, userId: string, labelId: string): Promise<void> {
  const own = await labels.listForUser(userId);
  if (!own.some(({ id }) => id === labelId)) throw fieldError("addLabel", labelMessages.unknown);
}

/** Empty if the alias already is in that state. @throws AppError `invalid` for too many labels */
function decideChange(alias: Alias, change: Exclude<BulkChange, { kind: "deletion" | "keep" }>): ManyAliasesChange {
  if (change.kind === "pinned") return alias.pinned === change.pinned ? {} : { pinned: change.pinned };
  if (change.kind === "labels") return labelsAfter(alias, change);
  if (change.kind === "destinations") return { routing: nextRouting(alias.routing, change) };
  const isActive = alias.routing.state === "active";
  return isActive === change.active ? {} : { routing: nextRouting(alias.routing, { active: change.active }) };
}

function labelsAfter({ labels }: Alias, { add, remove }: { add: string | null; remove: string | null }) {
  const without = labels.filter((id) => id !== remove);
  const next = add === null || without.includes(add) ? without : [...without, add];
  if (next.length > limits.labelsPerAliasMax) throw new AppError("invalid", { message: labelMessages.tooManyOnAlias });
  return next.length === labels.length && next.every((id) => labels.includes(id)) ? {} : { labels: next };
}

interface Replacement {
  userId: string;
  aliasIds: readonly string[];
  mailboxIds: readonly string[];
}

/** Keeps webhooks and unconfirmed mailboxes, which the client can't see. @throws AppError `invalid`, `rate_limited` */
export async function replaceMailboxes(
  deps: MailboxDeps & LimitDeps,
  { userId, aliasIds, mailboxIds }: Replacement,
): Promise<ManyChanged> {
  const wanted = await mailboxDestinations(deps, { userId, mailboxIds });
  await takeLimit(deps, "alias_change", { userId });
  const confirmed = await confirmedMailboxes(deps, userId);
  if (!wanted.every((one) => confirmed.has(exactMailbox(one.address)))) throw fieldError("mailboxIds", NOT_CONFIRMED);
  return deps.aliases.updateMany(userId, [...new Set(aliasIds)], (alias) => {
    const destinations = afterReplacement(destinationsOf(alias), wanted, confirmed);
    if (destinations.length > limits.destinationsMax)
      throw new AppError("invalid", { message: aliasMessages.forwardToTooMany });
    return { routing: withDestinations(alias.routing, destinations) };
  });
}

const NOT_CONFIRMED = "Please confirm this mailbox first";

/** Mailboxes in the canonical form of `exactMailbox`. */
async function confirmedMailboxes(deps: MailboxDeps, userId: string): Promise<ReadonlySet<string>> {
  const addresses = (await deps.mailboxes.list(userId)).map((row) => row.address);
  const stateOf = await readStates(deps, userId, addresses);
  return new Set(addresses.filter((address) => stateOf(address) === "confirmed").map(exactMailbox));
}

function afterReplacement(
  before: readonly Destination[],
  wanted: readonly MailboxDestination[],
  confirmed: ReadonlySet<string>,
): Destination[] {
  const spelled = new Map(before.flatMap((one) => (one.kind === "mailbox" ? [[exactMailbox(one.address), one]] : [])));
  const isHidden = (destination: Destination) =>
    destination.kind === "webhook" || !confirmed.has(exactMailbox(destination.address));
  return [...wanted.map((one) => spelled.get(exactMailbox(one.address)) ?? one), ...before.filter(isHidden)];
}

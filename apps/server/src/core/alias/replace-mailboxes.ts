/** Replaces the mailboxes of aliases, for clients that show only confirmed mailboxes. */
import { aliasMessages, limits } from "@kauke/contract";
import { AppError, fieldError } from "../app-error.ts";
import { exactMailbox } from "../destination/same-mailbox.ts";
import { type MailboxDestination, mailboxDestinations } from "../mailbox/alias-mailboxes.ts";
import { type MailboxDeps, readStates } from "../mailbox/list-mailboxes.ts";
import { type LimitDeps, takeLimit } from "../take-limit.ts";
import type { AliasRouting, Destination } from "./alias.ts";
import { nextRouting } from "./alias-rules.ts";
import type { ManyChanged } from "./alias-store.ts";

interface Replacement {
  userId: string;
  aliasIds: readonly string[];
  /** Ids of the account's confirmed mailboxes that replace the present ones; if empty, the default mailbox does. */
  mailboxIds: readonly string[];
}

/**
 * Replaces the confirmed mailboxes of aliases. Webhooks and unconfirmed mailboxes stay, because the client could not
 * have chosen them. A paused alias stays paused. Aliases of other users are listed in the result as failed.
 * @throws AppError `invalid` for an id that is not one of the account's confirmed mailboxes, `no_mailbox`,
 * `rate_limited`
 */
export async function replaceMailboxes(
  deps: MailboxDeps & LimitDeps,
  { userId, aliasIds, mailboxIds }: Replacement,
): Promise<ManyChanged> {
  const wanted = await mailboxDestinations(deps, { userId, mailboxIds });
  await takeLimit(deps, "alias_change", { userId });
  const confirmed = await confirmedMailboxes(deps, userId);
  if (!wanted.every((it) => confirmed.has(exactMailbox(it.address)))) throw fieldError("mailboxIds", NOT_CONFIRMED);
  return deps.aliases.updateMany(userId, [...new Set(aliasIds)], ({ routing }) => {
    const destinations = afterReplacement(destinationsOf(routing), wanted, confirmed);
    if (destinations.length > limits.destinationsMax)
      throw new AppError("invalid", { message: aliasMessages.forwardToTooMany });
    return { routing: nextRouting(routing, { destinations }) };
  });
}

const NOT_CONFIRMED = "Please confirm this mailbox first";

/** Addresses of the account's confirmed mailboxes, each in the canonical form of `exactMailbox`. */
async function confirmedMailboxes(deps: MailboxDeps, userId: string): Promise<ReadonlySet<string>> {
  const addresses = (await deps.mailboxes.list(userId)).map((row) => row.address);
  const stateOf = await readStates(deps, userId, addresses);
  return new Set(addresses.filter((address) => stateOf(address) === "confirmed").map(exactMailbox));
}

/**
 * Destinations after the replacement: the wanted mailboxes (a mailbox that stays keeps its spelling), then the
 * destinations that the client could not choose.
 * @param confirmed canonical addresses of the mailboxes that the client could choose
 */
function afterReplacement(
  before: readonly Destination[],
  wanted: readonly MailboxDestination[],
  confirmed: ReadonlySet<string>,
): Destination[] {
  const spelled = new Map(before.flatMap((it) => (it.kind === "mailbox" ? [[exactMailbox(it.address), it]] : [])));
  const isHidden = (it: Destination) => it.kind === "webhook" || !confirmed.has(exactMailbox(it.address));
  return [...wanted.map((it) => spelled.get(exactMailbox(it.address)) ?? it), ...before.filter(isHidden)];
}

const destinationsOf = (routing: AliasRouting): Destination[] =>
  routing.state === "paused" ? routing.lastDestinations : routing.destinations;

/** New mailboxes for aliases, chosen by a client that shows confirmed mailboxes only. */
import { aliasMessages, limits } from "@kauke/contract";
import { AppError, fieldError } from "../app-error.ts";
import { exactMailbox } from "../destination/same-mailbox.ts";
import { type MailboxDeps, readStates } from "../mailbox/list-mailboxes.ts";
import { type MailboxDestination, mailboxDestinations } from "../mailbox/mailbox-destinations.ts";
import { type LimitDeps, takeLimit } from "../rate-limit/take-limit.ts";
import type { AliasRouting, Destination } from "./alias.ts";
import type { ManyChanged } from "./alias-store.ts";
import { nextRouting } from "./next-routing.ts";

interface Replacement {
  userId: string;
  aliasIds: readonly string[];
  /** Ids of confirmed mailboxes of the account; without any, the default mailbox. */
  mailboxIds: readonly string[];
}

/**
 * Replaces the confirmed mailboxes of aliases. Webhooks and mailboxes that are not confirmed stay, since the client
 * could not have chosen them. A paused alias stays paused. Aliases that are not the user's are named in the result.
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

/** Exact addresses of the account's confirmed mailboxes. */
async function confirmedMailboxes(deps: MailboxDeps, userId: string): Promise<ReadonlySet<string>> {
  const addresses = (await deps.mailboxes.list(userId)).map((row) => row.address);
  const stateOf = await readStates(deps, userId, addresses);
  return new Set(addresses.filter((address) => stateOf(address) === "confirmed").map(exactMailbox));
}

/**
 * The wanted mailboxes, those that the alias has in its own spelling, and then what the client could not choose.
 * @param confirmed exact addresses that the client could choose
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

import { mapInSlices } from "../../runtime/fair-queue/slices.ts";
import {
  type Alias,
  type AliasChange,
  aliasAddress,
  type Destination,
  destinationsOf,
  withDestinations,
} from "../alias/alias.ts";
import { AppError, fieldError, notFound } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { exactMailbox } from "../destination/same-mailbox.ts";
import { type LimitDeps, takeLimit } from "../take-limit.ts";
import { ownMailbox } from "./list-mailboxes.ts";
import type { StoredMailbox } from "./mailbox.ts";

export interface MailboxUse {
  alias: Alias;
  isOnly: boolean;
}

interface OwnMailbox {
  userId: string;
  mailboxId: string;
}

type UseDeps = Pick<CoreDeps, "mailboxes" | "aliases">;

/** Aliases that would lose a destination, newest first. @throws AppError `not_found` */
export async function listMailboxUses(deps: UseDeps, mailbox: OwnMailbox): Promise<MailboxUse[]> {
  return usesOf(deps, mailbox.userId, await findMailbox(deps, mailbox));
}

/**
 * Removes a mailbox from every alias, then from the list. @throws AppError `mailbox_needed`, changing nothing, for an
 * alias' only destination; `invalid` for the account's own e-mail; `not_found`, `rate_limited`
 */
export async function removeMailbox(
  deps: UseDeps & LimitDeps & Pick<CoreDeps, "users" | "mailDomains">,
  { userId, mailboxId }: OwnMailbox,
): Promise<number> {
  const mailbox = await findMailbox(deps, { userId, mailboxId });
  await refuseOwn(deps, userId, mailbox);
  await takeLimit(deps, "mailbox_change", { userId });
  const uses = await usesOf(deps, userId, mailbox);
  refuseNeeded(uses);
  const aliasIds = uses.map(({ alias }) => alias.id);
  const { failed } = await deps.aliases.updateMany(userId, aliasIds, (alias) => withoutMailbox(alias, mailbox));
  // An alias that lost its other destinations meanwhile keeps the mailbox, which then stays listed too.
  if ([...failed.values()].includes("mailbox_needed")) refuseNeeded(await usesOf(deps, userId, mailbox));
  await deps.mailboxes.delete(userId, mailboxId);
  return aliasIds.length - failed.size;
}

async function findMailbox({ mailboxes }: UseDeps, { userId, mailboxId }: OwnMailbox): Promise<StoredMailbox> {
  const found = (await mailboxes.list(userId)).find(({ id }) => id === mailboxId);
  if (found === undefined) throw notFound("Mailbox not found");
  return found;
}

async function refuseOwn(
  deps: Pick<CoreDeps, "users" | "mailDomains">,
  userId: string,
  { address }: StoredMailbox,
): Promise<void> {
  const user = await deps.users.find(userId);
  const own = user === null ? null : ownMailbox(deps, user);
  if (own === null || exactMailbox(own.address) !== exactMailbox(address)) return;
  throw fieldError("mailboxId", "The e-mail of your account stays in the list. You can change it in Settings.");
}

async function usesOf({ aliases }: UseDeps, userId: string, mailbox: StoredMailbox): Promise<MailboxUse[]> {
  const uses = await mapInSlices(await aliases.listForUser(userId), (alias) => {
    const before = destinationsOf(alias);
    const left = before.filter((one) => !isMailbox(one, mailbox));
    return left.length === before.length ? [] : [{ alias, isOnly: left.length === 0 }];
  });
  return uses.flat();
}

const isMailbox = (destination: Destination, { address }: StoredMailbox): boolean =>
  destination.kind === "mailbox" && exactMailbox(destination.address) === exactMailbox(address);

/** @throws AppError `mailbox_needed` if no destination is left */
function withoutMailbox(alias: Alias, mailbox: StoredMailbox): Pick<AliasChange, "routing"> {
  const before = destinationsOf(alias);
  const left = before.filter((one) => !isMailbox(one, mailbox));
  if (left.length === before.length) return {};
  if (left.length === 0) throw new AppError("mailbox_needed");
  return { routing: withDestinations(alias.routing, left) };
}

const NAMED_MAX = 5;

/** @throws AppError `mailbox_needed`, naming the aliases that have no other destination */
function refuseNeeded(uses: readonly MailboxUse[]): void {
  const only = uses.filter(({ isOnly }) => isOnly).map(({ alias }) => aliasAddress(alias.name, alias.domain));
  if (only.length === 0) return;
  const named = only.slice(0, NAMED_MAX);
  if (only.length > NAMED_MAX) named.push(`${only.length - NAMED_MAX} more`);
  const message = `This mailbox is the only destination of ${named.join(", ")}. Choose another one there first, or delete the alias.`;
  throw new AppError("mailbox_needed", { message });
}

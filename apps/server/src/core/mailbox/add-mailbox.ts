import { aliasMessages, limits, mailboxMessages } from "@kauke/contract";
import { asciiDomainOf } from "@kauke/mail-rfc";
import { AppError, fieldError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { type AskDeps, askForConfirmation, WAITING_MAILBOXES_MAX } from "../destination/confirmation.ts";
import { type LimitDeps, takeLimit } from "../take-limit.ts";
import { listMailboxes, type MailboxDeps } from "./list-mailboxes.ts";
import type { Mailbox } from "./mailbox.ts";

/**
 * Adds a mailbox to the account's list and sends it a confirmation message, unless it got one or was answered before.
 * Adding a mailbox twice is no error.
 * @throws AppError `invalid` for a mailbox on this server's own domains, for one that blocks mail from this server, and
 * when the account has reached the maximum of added or unconfirmed mailboxes; `rate_limited`
 */
export async function addMailbox(
  deps: MailboxDeps & AskDeps & LimitDeps & Pick<CoreDeps, "destinations">,
  { userId, address }: { userId: string; address: string },
): Promise<Mailbox> {
  if (deps.ownDomains.includes(asciiDomainOf(address))) throw fieldError("address", aliasMessages.forwardToOwnDomain);
  await takeLimit(deps, "mailbox_change", { userId });
  // Blocked mailboxes are looked up after the rate limit, so that an account cannot find out for many mailboxes whether
  // their owners have blocked this server.
  if (await deps.destinations.isAnyBlocked([address])) throw fieldError("address", aliasMessages.forwardToBlocked);
  const known = new Set((await deps.mailboxes.list(userId)).map((row) => row.id));
  const added = await deps.mailboxes.add(userId, address, limits.addedMailboxesMax);
  if (added === null) throw fieldError("address", mailboxMessages.tooMany);
  await askOrTakeBack(deps, { userId, id: added.id, address: added.address, isNew: !known.has(added.id) });
  const listed = (await listMailboxes(deps, userId)).find(({ id }) => id === added.id);
  if (listed === undefined) throw new AppError("not_found", { message: "This mailbox was removed in the meantime." });
  return listed;
}

/**
 * Sends the confirmation message. If that is refused or fails, a newly added mailbox is removed from the list again.
 */
async function askOrTakeBack(
  deps: MailboxDeps & AskDeps,
  { userId, id, address, isNew }: { userId: string; id: string; address: string; isNew: boolean },
): Promise<void> {
  if (deps.confirmation === null) return;
  const takeBack = async () => {
    if (isNew) await deps.mailboxes.delete(userId, id);
  };
  const settings = deps.confirmation;
  const asked = await askForConfirmation(deps, settings, { userId, address, isByOwner: true }).catch(async (thrown) => {
    await takeBack();
    throw thrown;
  });
  if (asked.kind !== "too_many") return;
  await takeBack();
  const message = `${WAITING_MAILBOXES_MAX} of your mailboxes are not confirmed. Please confirm one of them first.`;
  throw fieldError("address", message);
}

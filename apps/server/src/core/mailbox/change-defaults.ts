import { mailboxMessages } from "@kauke/contract";
import { domainErrors, refuseFieldErrors } from "../alias/alias-rules.ts";
import { AppError, fieldError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { type LimitDeps, takeLimit } from "../rate-limit/take-limit.ts";
import { type AccountDefaults, accountDefaults } from "./account-defaults.ts";
import { listMailboxes, type MailboxDeps } from "./list-mailboxes.ts";
import type { DefaultsChange } from "./mailbox.ts";

/**
 * Changes an account's defaults for new aliases.
 * @throws AppError `invalid` for a domain that is not this server's or a mailbox that is not a confirmed one of the
 * account; `rate_limited`; `not_signed_in` when the account no longer exists
 */
export async function changeDefaults(
  deps: MailboxDeps & LimitDeps & Pick<CoreDeps, "users">,
  userId: string,
  change: DefaultsChange,
): Promise<AccountDefaults> {
  if (change.domain !== undefined) refuseFieldErrors(domainErrors(change.domain, deps.ownDomains));
  await takeLimit(deps, "mailbox_change", { userId });
  if (typeof change.mailboxId === "string") await refuseUnconfirmed(deps, userId, change.mailboxId);
  if (!(await deps.users.changeDefaults(userId, change))) throw new AppError("not_signed_in");
  return accountDefaults(deps, userId);
}

async function refuseUnconfirmed(deps: MailboxDeps, userId: string, mailboxId: string): Promise<void> {
  const mailbox = (await listMailboxes(deps, userId)).find(({ id }) => id === mailboxId);
  if (mailbox === undefined) throw fieldError("mailboxId", mailboxMessages.unknown);
  if (mailbox.state !== "confirmed") throw fieldError("mailboxId", mailboxMessages.unconfirmed);
}

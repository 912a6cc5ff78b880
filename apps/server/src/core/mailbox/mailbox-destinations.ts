import { mailboxMessages } from "@kauke/contract";
import type { Destination } from "../alias/alias.ts";
import { AppError, fieldError } from "../app-error.ts";
import { type AccountDefaults, accountDefaults } from "./account-defaults.ts";
import type { MailboxDeps } from "./list-mailboxes.ts";

export type MailboxDestination = Extract<Destination, { kind: "mailbox" }>;

interface Choice {
  userId: string;
  /** Ids of mailboxes of the account; if absent or empty, the default mailbox is used. */
  mailboxIds?: readonly string[] | undefined;
}

/**
 * Converts mailbox ids that a client sent to destinations. The confirmation of the mailboxes is not checked.
 * @param readDefaults the account's defaults, if the caller has read them already
 * @throws AppError `no_mailbox`, `invalid` for an id that is not one of the account's mailboxes
 */
export async function mailboxDestinations(
  deps: MailboxDeps,
  { userId, mailboxIds }: Choice,
  readDefaults: () => Promise<AccountDefaults> = () => accountDefaults(deps, userId),
): Promise<MailboxDestination[]> {
  if (mailboxIds === undefined || mailboxIds.length === 0) {
    const { mailbox } = await readDefaults();
    if (mailbox === null) throw new AppError("no_mailbox");
    return [{ kind: "mailbox", address: mailbox.address }];
  }
  const rows = new Map((await deps.mailboxes.list(userId)).map((row) => [row.id, row.address]));
  return [...new Set(mailboxIds)].map((id) => {
    const address = rows.get(id);
    if (address === undefined) throw fieldError("mailboxIds", mailboxMessages.unknown);
    return { kind: "mailbox", address };
  });
}

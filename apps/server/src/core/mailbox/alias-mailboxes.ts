import { mailboxMessages } from "@kauke/contract";
import type { Alias, Destination } from "../alias/alias.ts";
import { AppError, fieldError } from "../app-error.ts";
import { mailboxesOf } from "../destination/mailbox-states.ts";
import { exactMailbox } from "../destination/same-mailbox.ts";
import { type AccountDefaults, accountDefaults } from "./account-defaults.ts";
import { listMailboxes, type MailboxDeps, readStates } from "./list-mailboxes.ts";
import type { Mailbox } from "./mailbox.ts";

export type AliasMailbox = Pick<Mailbox, "id" | "address" | "state" | "createdAt">;

/**
 * Finds the mailboxes that the given aliases forward to. The account's other aliases are read only if one of the
 * mailboxes has never been listed.
 * @returns mailboxes by `exactMailbox` of their address
 */
export async function aliasMailboxes(
  deps: MailboxDeps,
  userId: string,
  aliases: readonly Alias[],
): Promise<Map<string, AliasMailbox>> {
  const wanted = new Set(aliases.flatMap(mailboxesOf).map(exactMailbox));
  const isWanted = ({ address }: { address: string }) => wanted.has(exactMailbox(address));
  const rows = (await deps.mailboxes.list(userId)).filter(isWanted);
  const found = rows.length < wanted.size ? (await listMailboxes(deps, userId)).filter(isWanted) : await known(rows);
  return new Map(found.map((mailbox) => [exactMailbox(mailbox.address), mailbox]));

  async function known(stored: typeof rows): Promise<AliasMailbox[]> {
    const stateOf = await readStates(
      deps,
      userId,
      stored.map((row) => row.address),
    );
    return stored.map(({ id, address, createdAt }) => ({ id, address, createdAt, state: stateOf(address) }));
  }
}

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

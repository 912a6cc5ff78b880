import type { Alias } from "../alias/alias.ts";
import { mailboxesOf } from "../destination/mailbox-states.ts";
import { exactMailbox } from "../destination/same-mailbox.ts";
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

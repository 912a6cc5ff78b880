import type { Alias } from "../alias/alias.ts";
import type { CoreDeps } from "../core-deps.ts";
import { mailboxesOfAll } from "./unconfirmed-mailboxes.ts";

/**
 * Suspended mailboxes of the aliases, read in one query. They get no mail, since their hosts say that they do not
 * exist.
 */
export async function suspendedMailboxes(
  { missingMailboxes }: Pick<CoreDeps, "missingMailboxes">,
  userId: string,
  aliases: readonly Alias[],
): Promise<ReadonlySet<string>> {
  const addresses = await mailboxesOfAll(aliases);
  return addresses.size === 0 ? new Set() : missingMailboxes.suspended(userId, [...addresses]);
}

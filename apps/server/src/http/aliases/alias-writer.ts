/** Converts aliases to the API's JSON, together with the confirmation states of their mailboxes. */
import type { AliasWire } from "@kauke/contract";
import type { Alias } from "../../core/alias/alias.ts";
import type { CoreDeps } from "../../core/core-deps.ts";
import { suspendedMailboxes, unconfirmedMailboxes } from "../../core/destination/destination.ts";
import { aliasToWire, type MailboxStandings } from "./wire.ts";

type StandingDeps = Pick<CoreDeps, "destinations" | "missingMailboxes" | "confirmation">;

/** Reads the confirmation states of the mailboxes of several aliases of one account at once. */
export async function standingsOf(
  deps: StandingDeps,
  userId: string,
  aliases: readonly Alias[],
): Promise<MailboxStandings> {
  return {
    unconfirmed: await unconfirmedMailboxes(deps, userId, aliases),
    suspended: await suspendedMailboxes(deps, userId, aliases),
  };
}

export function aliasWriter(deps: StandingDeps): (alias: Alias) => Promise<AliasWire> {
  return async (alias) => aliasToWire(alias, await standingsOf(deps, alias.userId, [alias]));
}

import type { ConfirmationState } from "@kauke/contract";
import { mapInSlices } from "../../runtime/fair-queue/slices.ts";
import type { Alias } from "../alias/alias.ts";
import type { CoreDeps } from "../core-deps.ts";

/** State of each unconfirmed mailbox, by the address as an alias spells it. */
export type ShownStates = ReadonlyMap<string, ConfirmationState>;

/**
 * Mailboxes whose state the owner should see: all unconfirmed ones; if this server asks for no confirmations, only
 * those that refused or blocked mail.
 */
export async function unconfirmedMailboxes(
  { destinations, confirmation }: Pick<CoreDeps, "destinations" | "confirmation">,
  userId: string,
  aliases: readonly Alias[],
): Promise<ShownStates> {
  const addresses = await mailboxesOfAll(aliases);
  if (addresses.size === 0) return new Map();
  const states = await destinations.states(userId, [...addresses]);
  const shown = [...states].filter(([, state]) =>
    confirmation === null ? state === "refused" || state === "blocked" : state !== "confirmed",
  );
  return new Map(shown);
}

export function mailboxesOf({ routing }: Pick<Alias, "routing">): string[] {
  const destinations = routing.state === "active" ? routing.destinations : routing.lastDestinations;
  return destinations.flatMap((it) => (it.kind === "mailbox" ? [it.address] : []));
}

/** Mailboxes that any of the aliases forwards to, as they spell them. */
async function mailboxesOfAll(aliases: readonly Pick<Alias, "routing">[]): Promise<Set<string>> {
  const addresses = new Set<string>();
  await mapInSlices(aliases, (alias) => {
    for (const address of mailboxesOf(alias)) addresses.add(address);
  });
  return addresses;
}

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

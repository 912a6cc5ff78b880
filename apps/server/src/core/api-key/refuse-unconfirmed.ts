/**
 * Where an API key may point an alias: at mailboxes that the account has confirmed. So a stolen key cannot have mail
 * forwarded to a thief. Destinations that the alias already has may stay.
 */
import { aliasMessages } from "@kauke/contract";
import type { Destination } from "../alias/alias.ts";
import { fieldError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";

/** Confirmed mailboxes among the destinations, as these spell them. */
export async function confirmedAmong(
  { destinations: store }: Pick<CoreDeps, "destinations">,
  userId: string,
  destinations: readonly Destination[],
): Promise<ReadonlySet<string>> {
  const addresses = destinations.flatMap((it) => (it.kind === "mailbox" ? [it.address] : []));
  if (addresses.length === 0) return new Set();
  const states = await store.states(userId, addresses);
  return new Set(addresses.filter((address) => states.get(address) === "confirmed"));
}

interface ByKey {
  wanted: readonly Destination[] | undefined;
  /** Destinations that the alias has before the change. */
  before?: readonly Destination[];
  confirmed: ReadonlySet<string>;
}

/** Refuses new destinations other than confirmed mailboxes. @throws AppError `invalid` */
export function refuseUnconfirmed(
  field: "forwardTo" | "lastForwardTo",
  { wanted = [], before = [], confirmed }: ByKey,
): void {
  const had = new Set(before.map(nameOf));
  const isAllowed = (it: Destination) => had.has(nameOf(it)) || (it.kind === "mailbox" && confirmed.has(it.address));
  if (!wanted.every(isAllowed)) throw fieldError(field, aliasMessages.forwardToByKey);
}

const nameOf = (it: Destination) =>
  it.kind === "mailbox" ? `mailbox ${it.address.toLowerCase()}` : `webhook ${it.url}`;

/**
 * Where an API key may point an alias: at mailboxes that the account has confirmed. So a stolen key cannot have mail
 * forwarded to a thief. Destinations that the alias already has may stay.
 */
import { aliasMessages } from "@kauke/contract";
import type { Destination } from "../alias/alias.ts";
import { fieldError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { exactMailbox } from "../destination/same-mailbox.ts";

/**
 * Confirmed mailboxes among the destinations, as these spell them. If this server asks for no confirmations, these are
 * the mailboxes in the account's list.
 */
export async function confirmedAmong(
  { destinations: store, mailboxes, confirmation }: Pick<CoreDeps, "destinations" | "mailboxes" | "confirmation">,
  userId: string,
  destinations: readonly Destination[],
): Promise<ReadonlySet<string>> {
  const addresses = destinations.flatMap((it) => (it.kind === "mailbox" ? [it.address] : []));
  if (addresses.length === 0) return new Set();
  const states = await store.states(userId, addresses);
  const listed = new Set(confirmation === null ? (await mailboxes.list(userId)).map(exactOf) : []);
  return new Set(
    addresses.filter((address) => {
      const state = states.get(address) ?? "new";
      return state === "confirmed" || ((state === "new" || state === "asked") && listed.has(exactMailbox(address)));
    }),
  );
}

const exactOf = ({ address }: { address: string }): string => exactMailbox(address);

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

/**
 * Limits the destinations that an API key may give an alias to confirmed mailboxes of the account, so that a stolen key
 * cannot forward mail to a thief. Destinations that the alias already has may stay.
 */
import { aliasMessages } from "@kauke/contract";
import type { Destination } from "../alias/alias.ts";
import { fieldError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { exactMailbox } from "../destination/same-mailbox.ts";

/**
 * Confirmed mailboxes among the destinations, spelled as the destinations spell them. On a server that asks for no
 * confirmations, all mailboxes in the account's list count as confirmed.
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
  /** Destinations of the alias before the change. */
  before?: readonly Destination[];
  confirmed: ReadonlySet<string>;
}

/**
 * Refuses new destinations that are not confirmed mailboxes.
 * @throws AppError `invalid`
 */
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

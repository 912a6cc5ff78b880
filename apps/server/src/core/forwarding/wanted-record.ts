/** What the forwarding provider should have of an alias. */
import type { HeldReason } from "@kauke/contract";
import { type Alias, type AliasRoute, type Destination, destinationsOf } from "../alias/alias.ts";
import type { ProviderRecord } from "./forwarding-provider.ts";

interface Given {
  alias: Alias;
  /** The route as the mail path would see it, uncached. */
  route: AliasRoute;
  password: string | null;
  /** Whether mailboxes have to be confirmed; the provider can't limit mail to one that is not. */
  isConfirmationNeeded: boolean;
}

const textOf = (destination: Destination) => (destination.kind === "mailbox" ? destination.address : destination.url);

/** Fails closed: what the provider can't do as our engine would, it does not do at all. */
export function wantedRecord({ alias, route, password, isConfirmationNeeded }: Given): ProviderRecord {
  const { name, domain } = alias;
  const all = destinationsOf(alias).map(textOf);
  const off = (codeIfDisabled: 250 | 421 | 550, held: HeldReason | null): ProviderRecord => ({
    name: name.toLowerCase(),
    domain,
    recipients: all,
    isEnabled: false,
    codeIfDisabled,
    password,
    held,
  });
  if (alias.routing.state === "paused" || route.paused) return off(250, null);
  if (route.ageRecipient !== null) return off(421, "encrypted");
  const isWaiting = (one: Destination) =>
    isConfirmationNeeded && one.kind === "mailbox" && route.unconfirmed?.has(one.address) === true;
  const open = route.destinations.filter((one) => !isWaiting(one));
  if (open.length > 0) return { ...off(250, null), recipients: open.map(textOf), isEnabled: true };
  return route.destinations.length > 0 ? off(421, "unconfirmed") : off(550, "no_destination");
}

/** What an alias may be on this server (domain, name, destinations), and who may reuse its address later. */

import { aliasMessages, type FieldErrors } from "@kauke/contract";
import { findReservedName, findReservedOnOwnDomain } from "@kauke/contract/reserved-names";
import { splitAddress } from "@kauke/mail-rfc";
import { bounds } from "../../limits/table.ts";
import { AppError, fieldError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { exactMailbox } from "../destination/same-mailbox.ts";
import type { MailDomains } from "../domain/mail-domains.ts";
import { type AliasRouting, type Destination, mailboxesAmong } from "./alias.ts";

/** Cuts a text at `max` characters, never within a surrogate pair. */
export function cutText(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, max).replace(/[\ud800-\udbff]$/, "");
}

export const DOMAIN_UNKNOWN = "Please choose one of the available domains";

export const domainUnknown = (): AppError => fieldError("domain", DOMAIN_UNKNOWN);

/** @param domain without one, an account's default domain is used, which is always usable */
export function domainErrors(
  { userId, domain }: { userId: string; domain?: string | undefined },
  mailDomains: Pick<MailDomains, "usableBy">,
): FieldErrors {
  return domain === undefined || mailDomains.usableBy(userId).includes(domain) ? {} : { domain: [DOMAIN_UNKNOWN] };
}

/** Mailboxes whose mail this server takes would cause a mail loop, in any spelling of the domain (UTS #46). */
export function loopErrors(
  field: "forwardTo" | "lastForwardTo",
  destinations: readonly Destination[] | undefined,
  mailDomains: Pick<MailDomains, "has">,
): FieldErrors {
  const isOwn = destinations?.some(
    (one) => one.kind === "mailbox" && mailDomains.has(splitAddress(one.address).domain),
  );
  return isOwn ? { [field]: [aliasMessages.forwardToOwnDomain] } : {};
}

/** Throws one error with all field errors and the first one's message. @throws AppError `invalid` */
export function refuseFieldErrors(errors: FieldErrors): void {
  const first = Object.values(errors)[0]?.[0];
  if (first !== undefined) throw new AppError("invalid", { message: first, errors });
}

export type OperatorDomains = Pick<MailDomains, "operators">;

/** The reserved name that an alias' name resembles; `null` when free. On own domains of accounts few are reserved. */
export function reservedNameOf(
  { name, domain }: { name: string; domain: string },
  { operators }: OperatorDomains,
): string | null {
  return operators.includes(domain) ? findReservedName(name) : findReservedOnOwnDomain(name);
}

export const isOnOwnDomain = ({ domain }: { domain: string }, { operators }: OperatorDomains): boolean =>
  !operators.includes(domain);

/** @throws AppError `alias_reserved` without field errors: the page shows it as "Alias Not Allowed" */
export function refuseReservedName(alias: { name: string; domain: string }, mailDomains: OperatorDomains): void {
  const { name } = alias;
  if (reservedNameOf(alias, mailDomains) !== null)
    throw new AppError("alias_reserved", { message: `The name ${name} is reserved.` });
}

export interface RoutingInput {
  active?: boolean;
  destinations?: Destination[];
  /** Destinations for a paused alias once it is activated again; ignored for an alias that stays active. */
  lastDestinations?: Destination[];
}

/** New destinations of a paused alias do not activate it: they apply once it is activated. */
export function nextRouting(now: AliasRouting, input: RoutingInput): AliasRouting {
  const isPaused = now.state === "paused";
  const current = isPaused ? now.lastDestinations : now.destinations;
  const isOrBecomesPaused = isPaused || input.active === false;
  const destinations = input.destinations ?? (isOrBecomesPaused ? input.lastDestinations : undefined) ?? current;
  return (input.active ?? !isPaused)
    ? { state: "active", destinations }
    : { state: "paused", lastDestinations: destinations };
}

/** Rejects destinations that block mail from this server. @throws AppError `invalid` */
export async function refuseBlocked(
  { destinations: store }: Pick<CoreDeps, "destinations">,
  field: "forwardTo" | "lastForwardTo",
  destinations: readonly Destination[] = [],
): Promise<void> {
  const addresses = mailboxesAmong(destinations);
  if (addresses.length === 0) return;
  if (await store.isAnyBlocked(addresses)) throw fieldError(field, aliasMessages.forwardToBlocked);
}

export async function confirmedAmong(
  { destinations: store, mailboxes, confirmation }: Pick<CoreDeps, "destinations" | "mailboxes" | "confirmation">,
  userId: string,
  destinations: readonly Destination[],
): Promise<ReadonlySet<string>> {
  const addresses = mailboxesAmong(destinations);
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
  before?: readonly Destination[];
  confirmed: ReadonlySet<string>;
}

/** Refuses unconfirmed new destinations, so that a stolen API key can't forward mail. @throws AppError `invalid` */
export function refuseUnconfirmed(
  field: "forwardTo" | "lastForwardTo",
  { wanted = [], before = [], confirmed }: ByKey,
): void {
  const had = new Set(before.map(nameOf));
  const isAllowed = (destination: Destination) =>
    had.has(nameOf(destination)) || (destination.kind === "mailbox" && confirmed.has(destination.address));
  if (!wanted.every(isAllowed)) throw fieldError(field, aliasMessages.forwardToByKey);
}

const nameOf = (destination: Destination) =>
  destination.kind === "mailbox" ? `mailbox ${destination.address.toLowerCase()}` : `webhook ${destination.url}`;

export interface ReleaseCaps {
  account: number;
  /** Above this number of reservations from one network, the addresses of unused aliases are not reserved. */
  network: number;
  block: number;
}

export const releaseCaps: ReleaseCaps = { ...bounds.reservedAddresses, ...bounds.importedAddresses };

/** @param until when the account may release the next used address */
export function releaseHasToWait(until: Date): AppError {
  return new AppError("rate_limited", { message: aliasMessages.releasedMany, resetAt: until });
}

/** Used addresses are always reserved; `released.unused`, from an import, only within the caps. */
export function unusedToReserve(
  released: { used: number; unused: number },
  reserved: ReleaseCaps,
  caps: ReleaseCaps,
): number {
  const parties = ["account", "network", "block"] as const;
  const room = parties.map((party) => caps[party] - reserved[party] - released.used);
  return Math.max(0, Math.min(released.unused, ...room));
}

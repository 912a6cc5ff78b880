/** Rules of aliases that need to know this server: its domains and the names it keeps for itself. Pure. */

import { aliasMessages, type Destination, type FieldErrors } from "@kauke/contract";
import { findReservedName } from "@kauke/contract/reserved-names";
import { asciiDomainOf } from "@kauke/mail-rfc";
import { AppError } from "../app-error.ts";

export const DOMAIN_UNKNOWN = "Please choose one of the available domains";

/** @param domain lower case */
export function domainErrors(domain: string, ownDomains: readonly string[]): FieldErrors {
  return ownDomains.includes(domain) ? {} : { domain: [DOMAIN_UNKNOWN] };
}

/** A mailbox on one of our own domains would send mail in circles; other spellings of the domain count too (UTS #46). */
export function ownDomainErrors(
  field: "forwardTo" | "lastForwardTo",
  destinations: readonly Destination[] | undefined,
  ownDomains: readonly string[],
): FieldErrors {
  const isOwn = destinations?.some((it) => it.kind === "mailbox" && ownDomains.includes(asciiDomainOf(it.address)));
  return isOwn ? { [field]: [aliasMessages.forwardToOwnDomain] } : {};
}

/** @throws AppError `invalid` when there is any error */
export function refuseFieldErrors(errors: FieldErrors): void {
  const first = Object.values(errors)[0]?.[0];
  if (first !== undefined) throw new AppError("invalid", { message: first, errors });
}

/** @throws AppError `alias_reserved` without field errors: the page shows it as "Alias Not Allowed" */
export function refuseReservedName(name: string): void {
  if (findReservedName(name) !== null)
    throw new AppError("alias_reserved", { message: `The name ${name} is reserved.` });
}

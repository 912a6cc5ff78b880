/** Validation of aliases that depends on this server: its own domains and its reserved names. Pure. */
import { aliasMessages, type Destination, type FieldErrors } from "@kauke/contract";
import { findReservedName } from "@kauke/contract/reserved-names";
import { asciiDomainOf } from "@kauke/mail-rfc";
import { AppError } from "../app-error.ts";

export const DOMAIN_UNKNOWN = "Please choose one of the available domains";

/** Rejects a domain that is not one of ours. @param domain in lower case */
export function domainErrors(domain: string, ownDomains: readonly string[]): FieldErrors {
  return ownDomains.includes(domain) ? {} : { domain: [DOMAIN_UNKNOWN] };
}

/** Rejects mailboxes on our own domains, which would cause a mail loop, in any spelling of the domain (UTS #46). */
export function ownDomainErrors(
  field: "forwardTo" | "lastForwardTo",
  destinations: readonly Destination[] | undefined,
  ownDomains: readonly string[],
): FieldErrors {
  const isOwn = destinations?.some((one) => one.kind === "mailbox" && ownDomains.includes(asciiDomainOf(one.address)));
  return isOwn ? { [field]: [aliasMessages.forwardToOwnDomain] } : {};
}

/**
 * Throws one error for all field errors, with the first of them as its message; does nothing if there are none.
 * @throws AppError `invalid`
 */
export function refuseFieldErrors(errors: FieldErrors): void {
  const first = Object.values(errors)[0]?.[0];
  if (first !== undefined) throw new AppError("invalid", { message: first, errors });
}

/**
 * Rejects a reserved name.
 * @throws AppError `alias_reserved` without field errors: the page shows it as "Alias Not Allowed"
 */
export function refuseReservedName(name: string): void {
  if (findReservedName(name) !== null)
    throw new AppError("alias_reserved", { message: `The name ${name} is reserved.` });
}

import { domainToASCII } from "node:url";

/**
 * Splits an address at its last `@`, since a quoted local part may contain others. Text without an `@` is a domain with
 * an empty local part.
 */
export function splitAddress(address: string): { local: string; domain: string } {
  const at = address.lastIndexOf("@");
  return { local: at < 0 ? "" : address.slice(0, at), domain: address.slice(at + 1) };
}

/** @returns the domain of an address in lower case, otherwise as written */
export function domainOf(address: string): string {
  return splitAddress(address).domain.toLowerCase();
}

/** Matches names that A-labels leave unchanged. A number at the end is left out, since it may be part of an address. */
const PLAIN_NAME = /^(?:(?!xn--)[a-z0-9-]{1,63}\.)*[a-z]{1,63}$/;

/** @returns the domain of an address as A-labels (RFC 5891) in lower case; an invalid domain only in lower case */
export function asciiDomainOf(address: string): string {
  const domain = domainOf(address);
  return PLAIN_NAME.test(domain) ? domain : domainToASCII(domain) || domain;
}

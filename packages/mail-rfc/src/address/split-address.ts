import { domainToASCII } from "node:url";

/** Splits an address at its last `@`: a quoted local part may hold others. Without an `@`, all of it is the domain. */
export function splitAddress(address: string): { local: string; domain: string } {
  const at = address.lastIndexOf("@");
  return { local: at < 0 ? "" : address.slice(0, at), domain: address.slice(at + 1) };
}

/** The domain part of an address, lower case, otherwise as it is written. */
export function domainOf(address: string): string {
  return splitAddress(address).domain.toLowerCase();
}

/** The domain part of an address as A-labels (RFC 5891), lower case; as it is written where it is no valid domain. */
export function asciiDomainOf(address: string): string {
  const domain = domainOf(address);
  return domainToASCII(domain) || domain;
}

/** Names that count as one destination in the shares of attempts, before an address is known. */
import { domainToASCII } from "node:url";
import type { Destination } from "@kauke/contract";

/** @returns the mailbox's domain or the webhook's host, lower case, e.g. `example.org` */
export function destinationName(destination: Destination): string {
  if (destination.kind === "webhook") return URL.canParse(destination.url) ? new URL(destination.url).hostname : "";
  const domain = destination.address.slice(destination.address.lastIndexOf("@") + 1).toLowerCase();
  return domainToASCII(domain) || domain;
}

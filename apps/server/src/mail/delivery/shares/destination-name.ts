/** Names under which deliveries are counted for one destination while its IP address is not known yet. */
import type { Destination } from "@kauke/contract";
import { asciiDomainOf } from "@kauke/mail-rfc";

/** @returns the mailbox's domain or the webhook's host, lower case, e.g. `example.org` */
export function destinationName(destination: Destination): string {
  if (destination.kind === "webhook") return URL.canParse(destination.url) ? new URL(destination.url).hostname : "";
  return asciiDomainOf(destination.address);
}

/** The domain that somebody registered, by the public suffix list with its private part: one party in limits and checks. */
import { isDnsName } from "@kauke/mail-rfc";
import { getDomain } from "tldts";

/**
 * @param host A-labels in lower case, without the final dot
 * @returns e.g. `example.co.uk` for `mx.example.co.uk`; `null` for a public suffix, a single label, an IP address, and
 * what is no DNS name
 */
export function registrableDomain(host: string): string | null {
  // The library's own rules for host names refuse labels such as `-a`, by which one domain could count as many.
  const options = { allowPrivateDomains: true, extractHostname: false, validateHostname: false };
  return isDnsName(host) ? getDomain(host, options) : null;
}

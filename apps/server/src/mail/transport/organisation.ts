/**
 * Derives the organisation that runs a mail host from the host's name. Concurrency and back-off are counted by
 * organisation, since one provider serves any number of domains.
 */
import { registrableDomain } from "../../core/registrable-domain.ts";

/** Domains of mail hosts, each with the main domain of the same provider. */
const SAME_PROVIDER: Readonly<Record<string, string>> = {
  "googlemail.com": "google.com",
  "mx.microsoft": "outlook.com",
  "hotmail.com": "outlook.com",
};

/**
 * @param hostName lower case, ASCII
 * @returns e.g. `google.com` for `alt1.aspmx.l.google.com`, `example.co.uk` for `mx.example.co.uk`
 */
export function organisationOf(hostName: string): string {
  const name = registrableDomain(hostName) ?? hostName;
  return SAME_PROVIDER[name] ?? name;
}

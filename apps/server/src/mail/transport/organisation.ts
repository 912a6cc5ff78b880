/**
 * Derives the organisation that runs a mail host from the host's name. Concurrency and back-off are counted by
 * organisation, since one provider serves any number of domains. The public suffix list is not used: second-level
 * country domains are recognized by the usual labels, and a wrong guess only merges two shares or splits one.
 */

/** Second-level labels under which a country's organisations register, e.g. `example.co.uk`. */
const COUNTRY_SECOND_LABELS = new Set(["ac", "co", "com", "edu", "go", "gob", "gov", "gv", "ne", "net", "or", "org"]);
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
  const labels = hostName.split(".");
  const [second = "", top = ""] = labels.slice(-2);
  const count = top.length === 2 && COUNTRY_SECOND_LABELS.has(second) ? 3 : 2;
  const name = labels.slice(-count).join(".");
  return SAME_PROVIDER[name] ?? name;
}

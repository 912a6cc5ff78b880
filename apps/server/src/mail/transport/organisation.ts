/**
 * Who runs a mail host, by its name: what concurrency and back-off are counted by, since one provider serves any number of domains.
 * Not the public suffix list: second-level domains of countries are told by the usual words, and a wrong guess only makes two shares
 * of one or one of two.
 */

/** Second labels under which a country's organisations register, e.g. `example.co.uk`. */
const COUNTRY_SECOND_LABELS = new Set(["ac", "co", "com", "edu", "go", "gob", "gov", "gv", "ne", "net", "or", "org"]);
/** Other names of the hosts of one provider. */
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

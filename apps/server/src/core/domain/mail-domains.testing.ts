import { type MailDomains, mailDomains } from "./mail-domains.ts";

/** The operator's domains, and those that accounts have proven, by account id. */
export function domainsOf(
  operators: readonly string[],
  own: Readonly<Record<string, readonly string[]>> = {},
): MailDomains {
  return mailDomains(operators, {
    find: (domain) => {
      const owner = Object.keys(own).find((userId) => own[userId]?.includes(domain));
      return owner === undefined ? null : { id: `id of ${domain}`, userId: owner, state: "proven" };
    },
    ofAccount: (userId) => own[userId] ?? [],
  });
}

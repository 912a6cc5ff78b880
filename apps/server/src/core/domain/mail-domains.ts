/** Domains whose mail this server takes: the operator's, and those that accounts have proven. */
import { isDomainOpen } from "@kauke/contract";
import { asciiDomain } from "@kauke/mail-rfc";
import { listDomains } from "../alias/alias.ts";
import type { ProvenDomains } from "./account-domain.ts";

/**
 * Why nothing can be sent from an alias. Its domain is the account's, and its records are not right: `domain_suspended`,
 * `domain_closed`; or it is not the account's any more: `domain_lost`.
 */
export type SendingRefusal = "domain_suspended" | "domain_closed" | "domain_lost";

export interface MailDomains {
  /** `KAUKE_DOMAINS`, in its order. */
  readonly operators: readonly string[];
  /** @param domain in any case, as A-labels or Unicode */
  has(domain: string): boolean;
  /** `null`: not a domain of this server. @param domain as for `has` */
  standingOf(domain: string): "open" | "suspended" | "closed" | null;
  /** `null`: an account's aliases on the domain may send. @param domain as for `has` */
  whyNotSending(userId: string | null, domain: string): SendingRefusal | null;
  /** Domains on which an account may have aliases: the operator's, then its own. */
  usableBy(userId: string): readonly string[];
  /** The account's own domains on which mail is accepted. */
  ofAccount(userId: string): readonly string[];
}

export function mailDomains(operators: readonly string[], proven: ProvenDomains): MailDomains {
  const ofOperator = new Set(operators);
  const standingOf: MailDomains["standingOf"] = (domain) => {
    const name = asciiDomain(domain);
    if (ofOperator.has(name)) return "open";
    const held = proven.find(name);
    if (held === null) return null;
    return held.state === "suspended" || held.state === "closed" ? held.state : "open";
  };
  return {
    operators,
    has: (domain) => standingOf(domain) !== null,
    standingOf,
    whyNotSending: (userId, domain) => {
      const name = asciiDomain(domain);
      if (ofOperator.has(name)) return null;
      const held = proven.find(name);
      if (held === null || held.userId !== userId) return "domain_lost";
      if (isDomainOpen(held)) return null;
      return held.state === "suspended" ? "domain_suspended" : "domain_closed";
    },
    usableBy: (userId) => [...listDomains(operators), ...proven.ofAccount(userId)],
    ofAccount: (userId) => proven.ofAccount(userId),
  };
}

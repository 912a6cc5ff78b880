/** Domains whose mail this server takes: the operator's, and those that accounts have proven. */
import { asciiDomain } from "@kauke/mail-rfc";
import { listDomains } from "../alias/alias.ts";
import type { ProvenDomains } from "./account-domain.ts";

export interface MailDomains {
  /** `KAUKE_DOMAINS`, in its order. */
  readonly operators: readonly string[];
  /** @param domain in any case, as A-labels or Unicode */
  has(domain: string): boolean;
  /** Domains on which an account may have aliases: the operator's, then its own. */
  usableBy(userId: string): readonly string[];
  /** The account's own proven domains. */
  ofAccount(userId: string): readonly string[];
}

export function mailDomains(operators: readonly string[], proven: ProvenDomains): MailDomains {
  const ofOperator = new Set(operators);
  return {
    operators,
    has: (domain) => {
      const name = asciiDomain(domain);
      return ofOperator.has(name) || proven.find(name) !== null;
    },
    usableBy: (userId) => [...listDomains(operators), ...proven.ofAccount(userId)],
    ofAccount: (userId) => proven.ofAccount(userId),
  };
}

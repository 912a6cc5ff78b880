/** What an account is told when a check changes the standing of its domain. */
import { domainToUnicode } from "node:url";
import type { Notice } from "../notice.ts";
import type { DomainState } from "./domain-standing.ts";

/** @returns `null` when the change needs no notice */
export function domainNotice(
  domain: string,
  { before, after }: { before: DomainState; after: DomainState },
): Pick<Notice, "kind" | "text"> | null {
  if (before === after) return null;
  const shown = domainToUnicode(domain) || domain;
  switch (after) {
    case "failing":
      return {
        kind: "domain_failing",
        text: `Records of ${shown} are missing or wrong in DNS. Its mail goes on for 7 days; please set them right under Settings, "Domains".`,
      };
    case "suspended":
      return {
        kind: "domain_suspended",
        text: `Mail for ${shown} waits at its senders for 7 days, and nothing is sent from it, because its records in DNS are still not right.`,
      };
    case "closed":
      return {
        kind: "domain_closed",
        text: `Mail for ${shown} is refused now, because its records in DNS are still not right. The domain stays yours for 30 more days.`,
      };
    case "new":
      return {
        kind: "domain_closed",
        text: `${shown} is no longer reserved for you. Its aliases get mail again only if you prove the domain again.`,
      };
    case "proven":
      return null;
  }
}

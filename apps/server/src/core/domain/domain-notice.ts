/** What an account is told when a check changes the standing of its domain. */
import { domainToUnicode } from "node:url";
import type { Notice } from "../notice.ts";
import type { DomainStanding, DomainState } from "./domain-standing.ts";

/** Such as `Dec`; the web app translates days of this form within sentences. */
const month = new Intl.DateTimeFormat("en-US", { month: "short", timeZone: "UTC" });
const dayText = (day: Date | null): string =>
  day === null ? "" : `${day.getUTCDate()} ${month.format(day)} ${day.getUTCFullYear()}`;

const shownName = (domain: string): string => domainToUnicode(domain) || domain;

/** @returns `null` when the change needs no notice */
export function domainNotice(
  domain: string,
  { before, after }: { before: DomainState; after: Pick<DomainStanding, "state" | "stateUntil"> },
): Pick<Notice, "kind" | "text"> | null {
  if (before === after.state) return null;
  const shown = shownName(domain);
  const until = dayText(after.stateUntil);
  switch (after.state) {
    case "failing":
      return {
        kind: "domain_failing",
        text: `Records of ${shown} are missing or wrong in DNS. Its mail goes on until ${until}; please set them right under Settings, "Domains".`,
      };
    case "suspended":
      return {
        kind: "domain_suspended",
        text: `Mail for ${shown} waits at its senders until ${until}, and nothing is sent from it, because its records in DNS are still not right.`,
      };
    case "closed":
      return {
        kind: "domain_closed",
        text: `Mail for ${shown} is refused now, because its records in DNS are still not right. The domain stays yours until ${until}.`,
      };
    case "new":
      return {
        kind: "domain_closed",
        text: `${shown} is no longer reserved for you. Its aliases get mail again only if you prove the domain again.`,
      };
    case "proven":
      if (before === "new") return null;
      return {
        kind: "domain_healed",
        text: `${shown} works again: its records in DNS are right, and its mail is accepted and sent.`,
      };
  }
}

type Told = Pick<Notice, "kind" | "text">;

/** For the account that holds a domain. */
export function claimedNotice(domain: string): Told {
  const shown = shownName(domain);
  return {
    kind: "domain_claimed",
    text: `Another account has set its records for ${shown} in DNS. The domain stays yours while your own records are right. If that was not you, please look at who can change its DNS.`,
  };
}

/** For an account that held the domain until its claim ended. @param count of the aliases that end */
export function takenNotice(domain: string, count: number): Told {
  const shown = shownName(domain);
  return {
    kind: "domain_closed",
    text: `Another account has proven ${shown}, which was no longer reserved for you. Your aliases there have ended: ${count}.`,
  };
}

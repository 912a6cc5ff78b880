/** Control calls on own domains of accounts. A name is sent only on request, or if the operator entered it. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { readDomainName } from "../../core/domain/domain-name.ts";
import { wantedRecords } from "../../core/domain/domain-records.ts";
import type { OperatorDomain } from "../../store/rows/domains/operator-domains.ts";
import type { ControlHandlers, DomainSummary } from "./control-protocol.ts";
import type { ServerView } from "./server-facts.ts";

/** Domains per response. They are read in pages of DOMAINS_OF_A_PAGE, so that the event loop is not blocked. */
const DOMAINS_AT_ONCE = 1000;
const DOMAINS_OF_A_PAGE = 200;
export const isUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function domainCalls({
  config: { mailHost },
  store: { operatorDomains, accountDomains },
}: Pick<ServerView, "config" | "store">): Pick<ControlHandlers, "domains-list" | "domains-zone"> {
  return {
    "domains-list": async ({ after, withName }) => {
      const found: DomainSummary[] = [];
      for (let last = isUuid.test(after) ? after : null; found.length < DOMAINS_AT_ONCE; ) {
        const page = await operatorDomains.list({ after: last, limit: DOMAINS_OF_A_PAGE });
        found.push(...page.map((domain) => summaryOf(domain, withName)));
        last = page.at(-1)?.id ?? null;
        if (page.length < DOMAINS_OF_A_PAGE) break;
        await nextTurn();
      }
      return found;
    },
    "domains-zone": async ({ domain: given }) => {
      const places = isUuid.test(given) ? [await operatorDomains.find(given)] : await placesOf(given);
      const domains = places.map((place) => (place === null ? null : accountDomains.find(place.userId, place.id)));
      return (await Promise.all(domains)).flatMap((domain) => {
        if (domain === null) return [];
        const { id, userId, state } = domain;
        return [{ id, userId, state, domain: domain.domain, records: wantedRecords(domain, mailHost) }];
      });
    },
  };

  function placesOf(name: string) {
    const read = readDomainName(name, []);
    return read.kind === "read" ? operatorDomains.findByName(read.domain) : [];
  }
}

function summaryOf({ domain, createdAt, stateUntil, ...rest }: OperatorDomain, withName: boolean): DomainSummary {
  const times = { createdAt: createdAt.toISOString(), stateUntil: stateUntil?.toISOString() ?? null };
  return { ...rest, ...times, ...(withName ? { domain } : {}) };
}

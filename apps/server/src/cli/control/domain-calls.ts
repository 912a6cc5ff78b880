/** Control calls on own domains of accounts. A name is sent only on request, or if the operator entered it. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { policyTargetOf } from "../../core/certificate.ts";
import { readDomainName } from "../../core/domain/domain-name.ts";
import { wantedRecords } from "../../core/domain/domain-records.ts";
import type { Config } from "../../settings/config.ts";
import type { Store } from "../../store/open-store.ts";
import type { OperatorDomain } from "../../store/rows/domains/operator-domains.ts";
import type { ControlHandlers, DomainSummary } from "./control-protocol.ts";

/** Domains per response. They are read in pages of DOMAINS_OF_A_PAGE, so that the event loop is not blocked. */
const DOMAINS_AT_ONCE = 1000;
const DOMAINS_OF_A_PAGE = 200;
export const isUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface DomainView {
  config: Pick<Config, "mailHost"> & Parameters<typeof policyTargetOf>[0];
  store: Pick<Store, "operatorDomains" | "accountDomains">;
}

export function domainCalls({
  config,
  store: { operatorDomains, accountDomains },
}: DomainView): Pick<ControlHandlers, "domains-list" | "domains-zone"> {
  const targets = { mailHost: config.mailHost, policyTarget: policyTargetOf(config) };
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
      const places = await placesOf(given);
      const domains = await Promise.all(places.map(({ userId, id }) => accountDomains.find(userId, id)));
      return domains.flatMap((found) => {
        if (found === null) return [];
        const { id, userId, state, domain } = found;
        return [{ id, userId, state, domain, records: wantedRecords(found, targets) }];
      });
    },
  };

  async function placesOf(given: string) {
    if (isUuid.test(given)) return [await operatorDomains.find(given)].filter((place) => place !== null);
    const read = readDomainName(given, []);
    return read.kind === "read" ? await operatorDomains.findByName(read.domain) : [];
  }
}

function summaryOf({ domain, createdAt, stateUntil, ...rest }: OperatorDomain, withName: boolean): DomainSummary {
  const times = { createdAt: createdAt.toISOString(), stateUntil: stateUntil?.toISOString() ?? null };
  return { ...rest, ...times, ...(withName ? { domain } : {}) };
}

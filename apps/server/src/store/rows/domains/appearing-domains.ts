/** Rules of domains on which aliases appear: opened when mail to an unknown name arrives, forgotten when they change. */
import { isDomainOpen } from "@kauke/contract";
import type { AppearingDomain, AppearingDomains } from "../../../core/domain/account-domain.ts";
import { noneAppear } from "../../../core/domain/appear-rules.ts";
import { bounds } from "../../../limits/table.ts";
import { FairMap } from "../../../runtime/fair-map.ts";
import type { StoreContext } from "../../store-context.ts";
import type { ProvenDomainsInMemory } from "./proven-domains.ts";
import { openAccountDomain } from "./save-domain-check.ts";

/** Estimated memory of a domain's rules, and of a text beside its characters. */
const RULES_BYTES = 500;
const TEXT_BYTES = 80;

export function appearingDomains(context: StoreContext, proven: Pick<ProvenDomainsInMemory, "find">): AppearingDomains {
  const known = new FairMap<AppearingDomain>({ all: bounds.appearingAliases.rulesBytes });
  const reading = new Map<string, Promise<AppearingDomain | null>>();
  context.signals.onDomainChange(async (change) => {
    if (change === "all") {
      known.clear();
      reading.clear();
    } else {
      known.delete(change.domainId);
      reading.delete(change.domainId);
    }
  });
  const read = async (id: string): Promise<AppearingDomain | null> => {
    const promise = readDomain(context, id);
    reading.set(id, promise);
    try {
      const found = await promise;
      // A domain that has changed since is read again next time.
      if (found !== null && reading.get(id) === promise)
        known.set(id, found, { party: found.userId, size: sizeOf(found) });
      return found;
    } finally {
      if (reading.get(id) === promise) reading.delete(id);
    }
  };
  return {
    async find(domain) {
      const found = proven.find(domain);
      if (found === null || !found.appears) return null;
      return known.get(found.id) ?? (await (reading.get(found.id) ?? read(found.id)));
    },
  };
}

async function readDomain({ db, keys }: StoreContext, id: string): Promise<AppearingDomain | null> {
  const row = await db.selectFrom("account_domain").selectAll().where("id", "=", id).executeTakeFirst();
  if (row === undefined || !isDomainOpen(row)) return null;
  const { appearing: rules = noneAppear } = openAccountDomain(keys, row);
  return { id, userId: row.user_id, rules, never: new Set(rules.neverNames) };
}

function sizeOf({ rules: { prefixes, neverNames } }: AppearingDomain): number {
  const texts = [...prefixes, ...neverNames];
  return texts.reduce((sum, text) => sum + TEXT_BYTES + text.length, RULES_BYTES);
}

import { domainToUnicode } from "node:url";
import type { AccountDomainWire } from "@kauke/contract";
import type { AccountDomain } from "../../core/domain/account-domain.ts";
import { type RecordTargets, wantedRecords } from "../../core/domain/domain-records.ts";

/** Each record with what the last check saw; `unread` before the first. */
export function accountDomainToWire(domain: AccountDomain, targets: RecordTargets): AccountDomainWire {
  const seen = new Map(domain.seen.map((record) => [record.name, record]));
  return {
    id: domain.id,
    domain: domain.domain,
    shownDomain: domainToUnicode(domain.domain) || domain.domain,
    state: domain.state,
    createdAt: domain.createdAt.toISOString(),
    provenAt: domain.provenAt?.toISOString() ?? null,
    checkedAt: domain.checkedAt?.toISOString() ?? null,
    failingSince: domain.failingSince?.toISOString() ?? null,
    stateUntil: domain.stateUntil?.toISOString() ?? null,
    aliasCount: domain.aliasCount,
    displayName: domain.displayName,
    appear: domain.appearing.appear,
    prefixes: [...domain.appearing.prefixes],
    neverNames: [...domain.appearing.neverNames],
    policy: domain.policy,
    records: wantedRecords(domain, targets).map((record) => {
      const { state = "unread", found = [] } = seen.get(record.name) ?? {};
      return { ...record, state, found: [...found] };
    }),
  };
}

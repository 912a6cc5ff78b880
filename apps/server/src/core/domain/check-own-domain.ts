/** Asks DNS for the records of an own domain: its ownership and MX records prove it, or end its proof after a grace. */
import { bounds } from "../../limits/table.ts";
import { FairQueue } from "../../runtime/fair-queue/fair-queue.ts";
import type { Clock } from "../../runtime/ports.ts";
import { AppError } from "../app-error.ts";
import { type LimitDeps, takeLimit } from "../take-limit.ts";
import type { AccountDomain, DomainCheck } from "./account-domain.ts";
import type { DomainDns } from "./domain-dns.ts";
import {
  type DomainAnswers,
  domainVerdict,
  judgeRecords,
  type RecordTargets,
  type WantedDnsRecord,
  wantedRecords,
} from "./domain-records.ts";
import { type DomainDeps, domainNotFound, domainsOff } from "./own-domains.ts";

const { all, waiting, account } = bounds.domainChecks;
const checks = new FairQueue({ concurrency: all, waitingMax: waiting, waitingOfPartyMax: account });

/**
 * @throws AppError `not_found`; `domain_taken` when another account has proven it; `not_possible` for a new domain when
 * the operator has switched own domains off; `rate_limited`, `busy`
 */
export async function checkOwnDomain(
  deps: DomainDeps & LimitDeps & { domainDns: DomainDns },
  { userId, domainId }: { userId: string; domainId: string },
): Promise<AccountDomain> {
  const domain = await deps.accountDomains.find(userId, domainId);
  if (domain === null) throw domainNotFound();
  if (domain.state === "new" && deps.domainRules.max === 0) throw domainsOff();
  await takeLimit(deps, "domain_check", { userId });
  const check = await checks.run({ party: userId }, () => lookAt(deps, domain));
  const outcome = await deps.accountDomains.saveCheck({ userId, id: domainId }, check);
  if (outcome === "taken") throw new AppError("domain_taken");
  const checked = outcome === "gone" ? null : await deps.accountDomains.find(userId, domainId);
  if (checked === null) throw domainNotFound();
  return checked;
}

export interface DomainLookDeps {
  domainRules: RecordTargets;
  domainDns: DomainDns;
  clock: Clock;
}

/** Settles within seconds, whatever DNS does. */
export async function lookAt(
  { domainRules, domainDns, clock }: DomainLookDeps,
  domain: AccountDomain,
): Promise<DomainCheck> {
  const begunAt = clock.now();
  const wanted = wantedRecords(domain, domainRules);
  const seen = judgeRecords(wanted, await ask(domainDns, domain.domain, wanted));
  return { seen, verdict: domainVerdict(seen), begunAt, now: clock.now() };
}

async function ask(dns: DomainDns, domain: string, wanted: readonly WantedDnsRecord[]): Promise<DomainAnswers> {
  const lookUps = dns.begin();
  const texts = wanted.filter(({ type }) => type === "TXT");
  const leads = wanted.find(({ type }) => type === "CNAME");
  const addresses = async (name: string | undefined) =>
    name === undefined ? ({ kind: "failed" } as const) : await lookUps.addresses(name);
  const [mx, mailHostPassesSpf, found, policyHost, policyTarget] = await Promise.all([
    lookUps.mx(domain),
    lookUps.mailHostPassesSpf(domain),
    Promise.all(texts.map(async ({ name, host }) => [name, await lookUps.txt(host)] as const)),
    addresses(leads?.host),
    addresses(leads?.value),
  ]);
  const txt = Object.fromEntries(found);
  return { mx, mailHostPassesSpf, txt, policyHost: { found: policyHost, wanted: policyTarget } };
}

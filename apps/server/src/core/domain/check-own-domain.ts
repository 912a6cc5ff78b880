/** Asks DNS for the records of an own domain, and proves it by its ownership and MX records. */
import { bounds } from "../../limits/table.ts";
import { FairQueue } from "../../runtime/fair-queue/fair-queue.ts";
import { AppError } from "../app-error.ts";
import { type LimitDeps, takeLimit } from "../take-limit.ts";
import type { AccountDomain } from "./account-domain.ts";
import type { DomainDns } from "./domain-dns.ts";
import { type DomainAnswers, isProof, judgeRecords, type WantedDnsRecord, wantedRecords } from "./domain-records.ts";
import { type DomainDeps, domainNotFound, domainsOff } from "./own-domains.ts";

const { all, waiting, account } = bounds.domainChecks;
const checks = new FairQueue({ concurrency: all, waitingMax: waiting, waitingOfPartyMax: account });

/**
 * A proven domain stays proven whatever DNS returns.
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
  const wanted = wantedRecords(domain, deps.domainRules.mailHost);
  const answers = await checks.run({ party: userId }, () => ask(deps.domainDns, domain.domain, wanted));
  const seen = judgeRecords(wanted, answers);
  const check = { seen, proves: isProof(seen), now: deps.clock.now() };
  const outcome = await deps.accountDomains.saveCheck({ userId, id: domainId }, check);
  if (outcome === "taken") throw new AppError("domain_taken");
  const checked = outcome === "gone" ? null : await deps.accountDomains.find(userId, domainId);
  if (checked === null) throw domainNotFound();
  return checked;
}

async function ask(dns: DomainDns, domain: string, wanted: readonly WantedDnsRecord[]): Promise<DomainAnswers> {
  const lookUps = dns.begin();
  const texts = wanted.filter(({ type }) => type === "TXT");
  const [mx, mailHostPassesSpf, found] = await Promise.all([
    lookUps.mx(domain),
    lookUps.mailHostPassesSpf(domain),
    Promise.all(texts.map(async ({ name, host }) => [name, await lookUps.txt(host)] as const)),
  ]);
  return { mx, mailHostPassesSpf, txt: Object.fromEntries(found) };
}

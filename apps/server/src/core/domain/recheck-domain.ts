/** The daily look at a domain that an account holds. */
import type { AccountDomainStore, DomainRecheckStore, DueDomain } from "./account-domain.ts";
import { type DomainLookDeps, lookAt } from "./check-own-domain.ts";

export interface RecheckDeps extends DomainLookDeps {
  accountDomains: Pick<AccountDomainStore, "find" | "saveCheck" | "endAliases">;
  domainRechecks: Pick<DomainRecheckStore, "release">;
}

/** @param stopping the server stops: the domain is due again at once, for the next process */
export async function recheckDomain(deps: RecheckDeps, due: DueDomain, stopping: AbortSignal): Promise<void> {
  if (stopping.aborted) return await deps.domainRechecks.release(due);
  if (due.isEnding) return await deps.accountDomains.endAliases(due, stopping);
  const domain = await deps.accountDomains.find(due.userId, due.id);
  // Removed meanwhile.
  if (domain === null) return;
  const check = await untilAborted(lookAt(deps, domain), stopping);
  if (check === null) await deps.domainRechecks.release(due);
  else await deps.accountDomains.saveCheck(domain, check);
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  const { promise, resolve } = Promise.withResolvers<null>();
  const onAbort = () => resolve(null);
  signal.addEventListener("abort", onAbort, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener("abort", onAbort));
}

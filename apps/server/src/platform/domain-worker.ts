/** Looks daily whether the records of proven domains are still right: claims due domains, and checks a few at a time. */
import type { DomainRecheckStore, DueDomain } from "../core/domain/account-domain.ts";
import { type RecheckDeps, recheckDomain } from "../core/domain/recheck-domain.ts";
import { bounds } from "../limits/table.ts";
import type { Logger } from "../runtime/ports.ts";
import { DueWorker } from "./due-worker.ts";

const { atOnce, leaseMs } = bounds.domainRechecks;
/** Between two looks for due domains. */
const POLL_MS = 60_000;

interface WorkerDeps extends RecheckDeps {
  domainRechecks: DomainRecheckStore;
  logger: Pick<Logger, "warn">;
  /** Replaces `POLL_MS` in tests. */
  domainPollMs?: number | undefined;
}

export const domainWorker = (deps: WorkerDeps): DueWorker<DueDomain> =>
  new DueWorker({
    atOnce,
    pollMs: deps.domainPollMs ?? POLL_MS,
    claim: (most) => deps.domainRechecks.claimDue({ most, leaseMs }),
    work: (due, stopping) => recheckDomain(deps, due, stopping),
    onFailure: (of) => deps.logger.warn(of === "claim" ? "domain_claim_failed" : "domain_recheck_failed"),
  });

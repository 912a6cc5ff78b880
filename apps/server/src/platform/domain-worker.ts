/** Looks daily whether the records of proven domains are still right: claims due domains, and checks a few at a time. */
import type { DomainRecheckStore, DueDomain } from "../core/domain/account-domain.ts";
import { type RecheckDeps, recheckDomain } from "../core/domain/recheck-domain.ts";
import { bounds } from "../limits/table.ts";
import type { Logger } from "../runtime/ports.ts";

const { atOnce, leaseMs } = bounds.domainRechecks;
/** Between two looks for due domains. */
const POLL_MS = 60_000;

interface WorkerDeps extends RecheckDeps {
  domainRechecks: DomainRecheckStore;
  logger: Pick<Logger, "warn">;
  /** Replaces `POLL_MS` in tests. */
  domainPollMs?: number | undefined;
}

export class DomainWorker {
  readonly #deps: WorkerDeps;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #claiming: Promise<void> | null = null;

  constructor(deps: WorkerDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#wake();
  }

  /** Resolves without waiting for DNS. */
  async close(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#claiming;
    clearTimeout(this.#timer);
    await Promise.all(this.#running);
  }

  #wake(): void {
    clearTimeout(this.#timer);
    if (this.#stopping.signal.aborted) return;
    this.#claiming ??= this.#claim().finally(() => {
      this.#claiming = null;
      this.#timer = setTimeout(() => this.#wake(), this.#deps.domainPollMs ?? POLL_MS);
    });
  }

  async #claim(): Promise<void> {
    const { domainRechecks, logger } = this.#deps;
    try {
      for (let most = atOnce - this.#running.size; most > 0; most = atOnce - this.#running.size) {
        const due = await domainRechecks.claimDue({ most, leaseMs });
        if (due.length === 0) return;
        for (const one of due) this.#begin(one);
      }
    } catch {
      logger.warn("domain_claim_failed");
    }
  }

  #begin(due: DueDomain): void {
    const work = this.#check(due).finally(() => {
      this.#running.delete(work);
      // A place is free for the next domain.
      if (this.#claiming === null) this.#wake();
    });
    this.#running.add(work);
  }

  async #check(due: DueDomain): Promise<void> {
    try {
      await recheckDomain(this.#deps, due, this.#stopping.signal);
    } catch {
      // The lease runs out, and the domain is claimed again.
      this.#deps.logger.warn("domain_recheck_failed");
    }
  }
}

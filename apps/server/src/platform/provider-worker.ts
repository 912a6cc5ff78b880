/** Keeps the forwarding provider in step: claims due aliases and carries their changes out, a few at a time. */
import type { ProviderProblem } from "@kauke/contract";
import { keepInStep, type StepDeps } from "../core/forwarding/keep-in-step.ts";
import type { ClaimedAlias, ProviderAliasStore } from "../core/forwarding/provider-alias.ts";
import { type ProviderTimes, providerTimes } from "../core/forwarding/provider-times.ts";
import { bounds } from "../limits/table.ts";
import type { Logger } from "../runtime/ports.ts";

const { atOnce, bringMs } = bounds.providerCalls;

/** Problems of the provider as a whole: other aliases would meet them too. */
const pausing: ReadonlySet<ProviderProblem> = new Set(["unreachable", "key_refused"]);

interface WorkerDeps extends StepDeps {
  providerAliases: StepDeps["providerAliases"] & Pick<ProviderAliasStore, "claim" | "release">;
  logger: Pick<Logger, "warn">;
}

export class ProviderWorker {
  readonly #deps: WorkerDeps;
  readonly #times: ProviderTimes;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #claiming: Promise<void> | null = null;
  #isWoken = false;
  #pausedUntilMs = 0;
  #pauses = 0;

  constructor(deps: WorkerDeps) {
    this.#deps = deps;
    this.#times = deps.times ?? providerTimes;
  }

  start(): void {
    this.wake();
  }

  /** Looks for due aliases now instead of at the next interval. */
  wake(): void {
    if (this.#stopping.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#isWoken = true;
    this.#claiming ??= this.#run();
  }

  /** Ends calls in progress, whose responses then count as lost. */
  async close(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#claiming;
    clearTimeout(this.#timer);
    await Promise.all(this.#running);
  }

  async #run(): Promise<void> {
    while (this.#isWoken && !this.#stopping.signal.aborted) {
      this.#isWoken = false;
      await this.#claim();
    }
    this.#claiming = null;
    this.#timer = setTimeout(() => this.wake(), Math.max(this.#times.everyMs, this.#pausedUntilMs - performance.now()));
  }

  async #claim(): Promise<void> {
    try {
      // After an outage, one alias shows whether it is over.
      const most = (this.#pauses > 0 ? 1 : atOnce) - this.#running.size;
      if (most <= 0 || performance.now() < this.#pausedUntilMs) return;
      const claimed = await this.#deps.providerAliases.claim({ most, leaseMs: this.#times.leaseMs });
      if (this.#stopping.signal.aborted) await this.#release(claimed);
      else for (const one of claimed) this.#begin(one);
    } catch {
      this.#deps.logger.warn("provider_claim_failed");
    }
  }

  async #release(claimed: readonly ClaimedAlias[]): Promise<void> {
    await Promise.all(claimed.map((one) => this.#deps.providerAliases.release(one)));
  }

  #begin(claimed: ClaimedAlias): void {
    const work = this.#bring(claimed).finally(() => {
      this.#running.delete(work);
      this.wake();
    });
    this.#running.add(work);
  }

  async #bring(claimed: ClaimedAlias): Promise<void> {
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(bringMs)]);
    try {
      const brought = await keepInStep(this.#deps, claimed, signal);
      if (brought.kind === "failed" && pausing.has(brought.problem)) this.#pause(brought.problem);
      // Without a call, too, an alias can be `busy`.
      else if (brought.kind === "done" || brought.problem !== "busy") this.#pauses = 0;
    } catch {
      // The lease runs out, and the alias is claimed again.
      this.#deps.logger.warn("provider_step_failed");
    }
  }

  /** Calls of one outage that fail together pause once. */
  #pause(problem: ProviderProblem): void {
    if (this.#stopping.signal.aborted || performance.now() < this.#pausedUntilMs) return;
    const { pauseMs, pauseMaxMs } = this.#times;
    if (this.#pauses === 0) this.#deps.logger.warn("provider_unavailable", { code: problem });
    this.#pausedUntilMs = performance.now() + Math.min(pauseMs * 2 ** this.#pauses, pauseMaxMs);
    this.#pauses += 1;
  }
}

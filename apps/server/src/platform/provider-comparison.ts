/** Compares all aliases with the forwarding provider once a day, in one of the processes, and when the operator asks. */

import { keepOperatorCopies } from "../core/forwarding/operator-copies.ts";
import { ProviderError } from "../core/forwarding/provider-account.ts";
import {
  type Comparison,
  type ComparisonDeps,
  countDifferences,
  runComparison,
} from "../core/forwarding/run-comparison.ts";
import { bounds } from "../limits/table.ts";
import type { Logger, Random } from "../runtime/ports.ts";

const { everyMs, leastMs, runMs } = bounds.providerComparison;
const OPERATORS_MS = 60_000;
const LOOK_EVERY_MS = 3_600_000;

/** Names of counters, with times in milliseconds since 1970: a day before the next comparison, and the last one's result. */
const COMPARED_AT = "provider_compared_at";
const LAST_AT = "provider_comparison_at";
const DIFFERENCES = "provider_differences";

export interface ProviderComparisonDeps extends ComparisonDeps {
  counters: { set(name: string, value: number): Promise<void>; read(name: string): Promise<number> };
  logger: Pick<Logger, "warn">;
  random: Pick<Random, "bytes">;
  /** Mailbox for postmaster@ and abuse@; `null`: none is set. */
  postmaster: string | null;
}

export class ProviderComparison {
  readonly #deps: ProviderComparisonDeps;
  readonly #stopping = new AbortController();
  #running: Promise<Comparison> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: ProviderComparisonDeps) {
    this.#deps = deps;
  }

  /** At a random minute of each hour, so that processes do not all look at the same moment. */
  start(): void {
    const minute = 1 + ((this.#deps.random.bytes(1)[0] ?? 0) % 59);
    this.#timer = setTimeout(() => {
      this.#timer = setInterval(() => void this.runIfDue(), LOOK_EVERY_MS).unref();
      void this.runIfDue();
    }, minute * 60_000).unref();
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    // A timeout's and an interval's handle are of one kind.
    clearTimeout(this.#timer);
    await this.#running?.catch(() => {});
  }

  async runIfDue(): Promise<void> {
    const { counters, clock, logger } = this.#deps;
    try {
      const now = clock.now().getTime();
      if (this.#stopping.signal.aborted || now - (await counters.read(COMPARED_AT)) < everyMs) return;
      // Written first, so that no other process begins, and a process that is restarted does not repeat it at once.
      await counters.set(COMPARED_AT, now - everyMs + leastMs);
      await this.keepOperatorCopies();
      const count = countDifferences(await this.run());
      if (count > 0) logger.warn("provider_differs", { count });
    } catch (thrown) {
      if (this.#stopping.signal.aborted) return;
      logger.warn("provider_comparison_failed", thrown instanceof ProviderError ? { code: thrown.problem } : {});
    }
  }

  /** A failure holds nothing else up: the doctor shows what is missing, and the next day's comparison tries again. */
  async keepOperatorCopies(): Promise<void> {
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(OPERATORS_MS)]);
    try {
      await keepOperatorCopies(this.#deps, signal);
    } catch (thrown) {
      if (!(thrown instanceof ProviderError)) throw thrown;
      this.#deps.logger.warn("provider_postmaster_failed", { code: thrown.problem });
    }
  }

  /** One at a time: a second call waits for the first one's result. @throws ProviderError */
  run(): Promise<Comparison> {
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Of the last comparison in any process; `null` before the first. */
  async last(): Promise<{ at: Date; differences: number } | null> {
    const { counters } = this.#deps;
    const [at, differences] = [await counters.read(LAST_AT), await counters.read(DIFFERENCES)];
    return at === 0 ? null : { at: new Date(at), differences };
  }

  async #run(): Promise<Comparison> {
    const { counters } = this.#deps;
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(runMs)]);
    const comparison = await runComparison(this.#deps, signal);
    const at = comparison.at.getTime();
    for (const name of [COMPARED_AT, LAST_AT]) await counters.set(name, at);
    await counters.set(DIFFERENCES, countDifferences(comparison));
    return comparison;
  }
}

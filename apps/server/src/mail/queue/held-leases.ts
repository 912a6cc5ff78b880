/**
 * Leases that attempts of this process hold, from their start until their outcome is in the store. A lease can run out under an attempt
 * that is still running (the clock was set forward, the database was away), and this process then claims the delivery again: the
 * attempt goes on under the new lease instead of a second one. An outcome that the store can't take is written again until it does,
 * so that what a destination took is not sent once more.
 */
import type { Logger, Metrics } from "../../core/ports.ts";
import type { ShutdownSignal } from "../shutdown-signal.ts";

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 15_000;

export interface HeldLeasesDeps {
  shutdown: ShutdownSignal;
  logger: Logger;
  metrics: Metrics;
}

/** Of one delivery. Its token changes when the delivery is claimed again meanwhile. */
export interface HeldLease {
  readonly id: string;
  leaseToken: string;
}

export class HeldLeases {
  readonly #deps: HeldLeasesDeps;
  readonly #held = new Map<string, HeldLease>();

  constructor(deps: HeldLeasesDeps) {
    this.#deps = deps;
  }

  hold(lease: HeldLease): void {
    if (!this.#held.has(lease.id)) this.#held.set(lease.id, lease);
  }

  release(lease: HeldLease): void {
    if (this.#held.get(lease.id) === lease) this.#held.delete(lease.id);
  }

  /** @returns false: no attempt of this process has the delivery, it is to be attempted */
  takeOver({ id, leaseToken }: HeldLease): boolean {
    const held = this.#held.get(id);
    if (held === undefined) return false;
    held.leaseToken = leaseToken;
    return true;
  }

  /** Writes the outcome down, again and again. @throws what the store threw last, when the process closes before it took it */
  async settle(lease: HeldLease, write: (leaseToken: string) => Promise<void>): Promise<void> {
    this.hold(lease);
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      if (await this.#try(() => write(lease.leaseToken))) break;
      await this.#untilShutdownOr(waitMs);
    }
    this.release(lease);
  }

  async #try(write: () => Promise<void>): Promise<boolean> {
    try {
      await write();
      return true;
    } catch (thrown) {
      this.#deps.metrics.count("kauke_settle_failures_total");
      this.#deps.logger.error("delivery_settle_failed", {
        stack: thrown instanceof Error ? thrown.name : typeof thrown,
      });
      if (this.#deps.shutdown.isShuttingDown) throw thrown;
      return false;
    }
  }

  async #untilShutdownOr(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        stopListening();
        resolve();
      };
      const timer = setTimeout(done, ms);
      const stopListening = this.#deps.shutdown.onShutdown(done);
    });
  }
}

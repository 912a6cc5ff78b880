/**
 * Leases held by attempts of this process, from their start until their outcome is stored. A lease can expire during an
 * attempt (the clock was set forward, the database was unreachable), and this process may then claim the delivery
 * again: the running attempt takes over the new lease, and no second attempt starts. Storing an outcome is retried
 * until it succeeds, so that a delivered message is not sent again.
 */
import type { Logger, Metrics } from "../../runtime/ports.ts";
import type { ShutdownSignal } from "../../runtime/shutdown-signal.ts";

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 15_000;

export interface HeldLeasesDeps {
  shutdown: ShutdownSignal;
  logger: Logger;
  metrics: Metrics;
}

/** Lease of one delivery. Its token changes when this process claims the delivery again during the attempt. */
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

  /**
   * Hands the lease of a claimed delivery to the attempt of this process that is still running.
   * @returns false when none is running, so that the delivery is to be attempted
   */
  takeOver({ id, leaseToken }: HeldLease): boolean {
    const held = this.#held.get(id);
    if (held === undefined) return false;
    held.leaseToken = leaseToken;
    return true;
  }

  /** Retries `write` until it succeeds. @throws the last error when the process shuts down first */
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

/**
 * Leases of running attempts, renewed until the outcome is stored. A lease can expire meanwhile (the clock was set, the
 * database was unreachable), and this process may claim the delivery again: the running attempt then takes over the new
 * lease. Storing an outcome is retried, so that a delivered message is not sent again.
 */

import type { DeliveryOutcome, DeliveryStore } from "../../core/delivery/delivery.ts";
import { bounds } from "../../limits/table.ts";
import type { Clock, Logger, Metrics } from "../../runtime/ports.ts";
import type { ShutdownSignal } from "../../runtime/shutdown-signal.ts";
import { type SettleDeps, type Settled, settle } from "./settle.ts";

export const BACKGROUND_LEASE_MS = 11 * 60_000;

export interface HeldLeasesDeps {
  deliveries: Pick<DeliveryStore, "extendLease">;
  settling: SettleDeps;
  shutdown: ShutdownSignal;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
}

/** A lease of a running attempt; its token changes when this process claims the delivery again. */
export interface HeldLease {
  readonly id: string;
  leaseToken: string;
  leasedUntil: Date;
}

interface Held {
  lease: HeldLease;
  heartbeat: NodeJS.Timeout;
}

export class HeldLeases {
  readonly #deps: HeldLeasesDeps;
  readonly #held = new Map<string, Held>();

  constructor(deps: HeldLeasesDeps) {
    this.#deps = deps;
  }

  hold(lease: HeldLease, leaseMs: number): void {
    if (this.#held.has(lease.id)) return;
    const heartbeat = setInterval(() => void this.renew(lease, leaseMs), leaseMs / 3);
    this.#held.set(lease.id, { lease, heartbeat });
  }

  release(lease: HeldLease): void {
    const held = this.#held.get(lease.id);
    if (held?.lease !== lease) return;
    clearInterval(held.heartbeat);
    this.#held.delete(lease.id);
  }

  /** @returns false when the lease was lost, or may have been */
  async renew(lease: HeldLease, leaseMs: number): Promise<boolean> {
    const until = new Date(this.#deps.clock.now().getTime() + leaseMs);
    const isHeld = await this.#deps.deliveries.extendLease(lease.id, lease.leaseToken, until).catch(() => false);
    if (isHeld) lease.leasedUntil = until;
    return isHeld;
  }

  /** Takes over a new lease. @returns false when no attempt of this process is running, so that one has to start */
  takeOver({ id, leaseToken }: Pick<HeldLease, "id" | "leaseToken">): boolean {
    const held = this.#held.get(id);
    if (held === undefined) return false;
    held.lease.leaseToken = leaseToken;
    return true;
  }

  async settle(lease: HeldLease, delivery: Settled, outcome: DeliveryOutcome): Promise<void> {
    const { shutdown } = this.#deps;
    for (
      let waitMs = bounds.unstoredOutcomes.firstWaitMs;
      ;
      waitMs = Math.min(waitMs * 2, bounds.unstoredOutcomes.longestWaitMs)
    ) {
      if ((await this.#try(lease, delivery, outcome)) || shutdown.isShuttingDown) break;
      await shutdown.sleep(waitMs);
    }
    this.release(lease);
  }

  async #try({ leaseToken }: HeldLease, delivery: Settled, outcome: DeliveryOutcome): Promise<boolean> {
    try {
      await settle(delivery, leaseToken, outcome, this.#deps.settling);
      return true;
    } catch (thrown) {
      this.#deps.metrics.count("kauke_settle_failures_total");
      const stack = thrown instanceof Error ? thrown.name : typeof thrown;
      this.#deps.logger.error("delivery_settle_failed", { stack });
      return false;
    }
  }
}

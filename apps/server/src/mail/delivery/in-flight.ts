/** Messages whose only attempt outlasts the reply (embedded database), in files; what fails moves to the queue. */
import { type InFlightMessages, type MessageToKeep, type OpenDelivery } from "../../core/delivery/delivery.ts";
import type { SpoolPlace } from "../../core/spool/spool-space.ts";
import type { Clock, Logger } from "../../runtime/ports.ts";
import type { ShutdownSignal } from "../../runtime/shutdown-signal.ts";
import type { FirstTry } from "./first-try.ts";
import { BACKGROUND_LEASE_MS, type HeldLeases } from "./held-leases.ts";
import type { SpoolQuota } from "./spool-quota.ts";

export type LeasedRow = OpenDelivery & { lease: NonNullable<OpenDelivery["lease"]> };

export interface MessageInFlight {
  message: MessageToKeep;
  delivery: LeasedRow;
  bytes: { wire: Buffer | null };
  tried: Pick<FirstTry, "planned" | "ended">;
  place: SpoolPlace;
}

export interface InFlightDeps {
  files: InFlightMessages;
  leases: Pick<HeldLeases, "hold" | "settle">;
  quota: Pick<SpoolQuota, "watch">;
  shutdown: ShutdownSignal;
  clock: Clock;
  logger: Logger;
}

const MOVE_RETRY_MS = 30_000;

export class InFlight {
  readonly files: InFlightMessages;
  readonly #deps: InFlightDeps;

  constructor(deps: InFlightDeps) {
    this.files = deps.files;
    this.#deps = deps;
  }

  /** Ends an attempt. Never throws: moving a message to the queue is retried, at last by the next start. */
  async end({ place, ...inFlight }: MessageInFlight): Promise<void> {
    const { leases, quota, logger } = this.#deps;
    const { message, delivery, tried } = inFlight;
    try {
      const outcome = await tried.ended;
      if (outcome.kind === "taken") return await this.files.forget(message.id);
      if (!(await this.#moveWhenPossible(inFlight))) return;
      place.stored();
      if (delivery.aliasId !== null) quota.watch(delivery.aliasId);
      const lease = { id: delivery.id, leaseToken: delivery.lease.token, leasedUntil: delivery.lease.until };
      leases.hold(lease, BACKGROUND_LEASE_MS);
      await leases.settle(lease, { ...tried.planned, attempts: 1 }, outcome);
    } catch (thrown) {
      logger.error("delivery_settle_failed", { stack: thrown instanceof Error ? thrown.name : typeof thrown });
    } finally {
      // `release` has no effect once the message is stored.
      place.release();
    }
  }

  /** @returns false when the message was deleted meanwhile. @throws when the process shuts down first */
  async #moveWhenPossible({ message, delivery, bytes }: Omit<MessageInFlight, "place">): Promise<boolean> {
    const { clock, shutdown, logger } = this.#deps;
    for (;;) {
      const until = new Date(clock.now().getTime() + BACKGROUND_LEASE_MS);
      const leased = { ...delivery, lease: { ...delivery.lease, until } };
      try {
        return await this.files.moveToQueue({ message, delivery: leased, wire: bytes.wire });
      } catch (thrown) {
        logger.error("spool_failed", { stack: thrown instanceof Error ? thrown.name : typeof thrown });
        if (shutdown.isShuttingDown) throw thrown;
        await shutdown.sleep(MOVE_RETRY_MS);
      }
    }
  }
}

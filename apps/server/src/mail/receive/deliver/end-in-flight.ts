/** The end of an attempt whose message is under way: taken, it is forgotten; otherwise it goes into the queue and is settled there. */
import type { DeliveryOutcome, OpenDelivery } from "../../../core/delivery/delivery.ts";
import type { InFlightMessage, InFlightMessages } from "../../../core/delivery/in-flight.ts";
import type { Logger } from "../../../core/ports.ts";
import type { SpoolPlace } from "../../../core/spool/spool-space.ts";
import type { HeldLeases } from "../../queue/held-leases.ts";
import type { ShutdownSignal } from "../../shutdown-signal.ts";
import type { PlannedDelivery } from "../inbound-plan.ts";
import type { SpoolQuota } from "./spool-quota.ts";

export type LeasedRow = OpenDelivery & { lease: NonNullable<OpenDelivery["lease"]> };

export interface RunningInFlight extends Pick<InFlightMessage, "message"> {
  delivery: LeasedRow;
  /** Its bytes while they are in memory. */
  bytes: { wire: Buffer | null };
  planned: PlannedDelivery;
  outcome: Promise<DeliveryOutcome>;
  /** Its place in the spool, until it is in the queue or gone. */
  place: SpoolPlace;
}

export interface EndInFlightDeps {
  inFlight: InFlightMessages;
  settle(leased: { planned: PlannedDelivery; leaseToken: string; outcome: DeliveryOutcome }): Promise<void>;
  leases: HeldLeases;
  leaseMs: number;
  quota: Pick<SpoolQuota, "watch">;
  shutdown: ShutdownSignal;
  clock: { now(): Date };
  logger: Logger;
}

const againAfterMs = 30_000;

/** Never throws: what can't be moved now is tried again, and in the end by the next start. */
export async function endInFlight(it: RunningInFlight, deps: EndInFlightDeps): Promise<void> {
  const outcome = await it.outcome;
  try {
    if (outcome.kind === "taken") {
      await deps.inFlight.forget(it.message.id);
      return it.place.release();
    }
    if (!(await moveWhenPossible(it, deps))) return it.place.release();
    it.place.stored();
    if (it.delivery.aliasId !== null) deps.quota.watch(it.delivery.aliasId);
    const { planned, delivery } = it;
    const lease = { id: planned.id, leaseToken: delivery.lease.token };
    await deps.leases.settle(lease, (leaseToken) => deps.settle({ planned, leaseToken, outcome }));
  } catch (thrown) {
    deps.logger.error("delivery_settle_failed", { stack: thrown instanceof Error ? thrown.name : typeof thrown });
  }
}

/** @returns false when nobody waits for it any more @throws AppError `spool_failed` when the process closes before it could be */
async function moveWhenPossible(
  { message, delivery, bytes }: RunningInFlight,
  deps: EndInFlightDeps,
): Promise<boolean> {
  for (;;) {
    const until = new Date(deps.clock.now().getTime() + deps.leaseMs);
    const leased = { ...delivery, lease: { ...delivery.lease, until } };
    try {
      return await deps.inFlight.moveToQueue({ message, delivery: leased, wire: bytes.wire });
    } catch (thrown) {
      deps.logger.error("spool_failed", { stack: thrown instanceof Error ? thrown.name : typeof thrown });
      if (deps.shutdown.isShuttingDown) throw thrown;
      await untilShutdownOr(againAfterMs, deps.shutdown);
    }
  }
}

async function untilShutdownOr(ms: number, shutdown: ShutdownSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms);
    const stopListening = shutdown.onShutdown(done);
    function done() {
      clearTimeout(timer);
      stopListening();
      resolve();
    }
  });
}

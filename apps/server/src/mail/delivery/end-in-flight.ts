/**
 * Ends an attempt whose message is stored as a file: deletes the file if the destination took the message; otherwise
 * moves the message to the queue and settles the delivery there.
 */
import type { DeliveryOutcome, OpenDelivery } from "../../core/delivery/delivery.ts";
import type { InFlightMessage, InFlightMessages } from "../../core/delivery/in-flight.ts";
import type { SpoolPlace } from "../../core/spool/spool-space.ts";
import type { Logger } from "../../runtime/ports.ts";
import type { ShutdownSignal } from "../../runtime/shutdown-signal.ts";
import { untried } from "../classify-reply.ts";
import type { PlannedDelivery } from "./delivery-plan.ts";
import type { HeldLeases } from "./held-leases.ts";
import type { SpoolQuota } from "./spool-quota.ts";

export type LeasedRow = OpenDelivery & { lease: NonNullable<OpenDelivery["lease"]> };

export interface RunningInFlight extends Pick<InFlightMessage, "message"> {
  delivery: LeasedRow;
  /** The message's bytes; `wire` is `null` once they were dropped from memory. */
  bytes: { wire: Buffer | null };
  planned: PlannedDelivery;
  outcome: Promise<DeliveryOutcome>;
  /** Space reserved in the spool until the message is queued or deleted. */
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

const MOVE_RETRY_MS = 30_000;

/**
 * Never throws: moving a message to the queue is retried, and in the end done by the next start of the process. An
 * attempt that throws has sent nothing, so its message is queued like one that was not tried.
 */
export async function endInFlight(running: RunningInFlight, deps: EndInFlightDeps): Promise<void> {
  try {
    const outcome = await running.outcome.catch(() => untried);
    if (outcome.kind === "taken") return await deps.inFlight.forget(running.message.id);
    if (!(await moveWhenPossible(running, deps))) return;
    running.place.stored();
    if (running.delivery.aliasId !== null) deps.quota.watch(running.delivery.aliasId);
    const { planned, delivery } = running;
    const lease = { id: planned.id, leaseToken: delivery.lease.token };
    await deps.leases.settle(lease, (leaseToken) => deps.settle({ planned, leaseToken, outcome }));
  } catch (thrown) {
    deps.logger.error("delivery_settle_failed", { stack: thrown instanceof Error ? thrown.name : typeof thrown });
  } finally {
    // Has no effect once the message is stored.
    running.place.release();
  }
}

/**
 * Moves a message from its file to the queue.
 * @returns false when the message was deleted meanwhile
 * @throws the last error of the store when the process shuts down before the message could be moved
 */
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
      await untilShutdownOr(MOVE_RETRY_MS, deps.shutdown);
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

/** The rows of a message's open deliveries: waiting for a retry, or leased to the attempt that is still running. */
import type { DeliveryOutcome, OpenDelivery } from "../../core/delivery/delivery.ts";
import type { PlannedDelivery } from "./delivery-plan.ts";
import type { LeasedRow } from "./end-in-flight.ts";
import type { RetryPlan } from "./schedule.ts";

export interface OpenRowDeps {
  /** Milliseconds of the lease of a running attempt. */
  leaseMs: number;
  retries: RetryPlan;
  makeToken(): string;
}

/** @returns the row to store; `null` when the delivery has ended */
export function openRow(
  { planned, outcome }: { planned: PlannedDelivery; outcome: DeliveryOutcome | null },
  now: Date,
  deps: OpenRowDeps,
): OpenDelivery | null {
  if (outcome !== null && outcome.kind !== "deferred") return null;
  if (outcome === null) return leasedRow(planned, now, deps);
  const notBefore = outcome.notBefore ?? deps.retries.next({ attempts: 1 }) ?? now;
  const attempts = outcome.isUntried ? 0 : 1;
  return { ...rowOf(planned), attempts, notBefore, lease: null, lastFailure: outcome.failure };
}

export function leasedRow(
  planned: PlannedDelivery,
  now: Date,
  { leaseMs, makeToken }: Pick<OpenRowDeps, "leaseMs" | "makeToken">,
): LeasedRow {
  const until = new Date(now.getTime() + leaseMs);
  const lease = { token: makeToken(), until };
  // Due as soon as the lease ends without an outcome: after a crash, when the next start of the process releases it.
  return { ...rowOf(planned), attempts: 0, notBefore: now, lease, lastFailure: null };
}

function rowOf({ id, messageId, aliasId, userId, target, createdAt }: PlannedDelivery) {
  return { id, messageId, aliasId, userId, target, createdAt };
}

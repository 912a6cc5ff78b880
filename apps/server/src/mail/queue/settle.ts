/**
 * Writes down what became of a leased delivery. Guarded by the lease: when it was lost, somebody else has the delivery and
 * nothing changes here.
 */
import type {
  DeliveryFailure,
  DeliveryOutcome,
  DeliveryStore,
  DeliveryTarget,
  FinalFailure,
  UnreadableDelivery,
} from "../../core/delivery/delivery.ts";
import type { MessageBodies } from "../../core/message/message.ts";
import { type FailureReporter, ownersBusiness } from "./report-failure.ts";
import type { RetryPlan } from "./retry-plan.ts";

export interface SettleDeps {
  deliveries: Pick<DeliveryStore, "finish" | "defer">;
  bodies: Pick<MessageBodies, "delete">;
  failures: FailureReporter;
  retries: RetryPlan;
}

export interface Settled {
  id: string;
  messageId: string;
  aliasId: string | null;
  userId: string | null;
  target: DeliveryTarget;
  createdAt: Date;
  /** This attempt included. */
  attempts: number;
  /** Composed mail only. */
  maxRetries?: number;
}

export async function settle(
  delivery: Settled,
  leaseToken: string,
  outcome: DeliveryOutcome,
  deps: SettleDeps,
): Promise<void> {
  if (outcome.kind === "deferred") {
    const notBefore = deps.retries.next(delivery);
    if (notBefore !== null) {
      await deps.deliveries.defer(delivery.id, leaseToken, { notBefore, failure: outcome.failure });
      return;
    }
  }
  const failure = outcome.kind === "taken" ? null : finalFailure(delivery, outcome);
  const { finished, messageDone, isTakenByNone } = await deps.deliveries.finish(delivery.id, leaseToken, failure);
  // Before the body is deleted: a report to the sender names the message by its header.
  if (finished && failure !== null) {
    const isSendersBusiness = isTakenByNone || delivery.target.isOneOfSeveral !== true;
    await deps.failures.report(isSendersBusiness ? delivery : ownersBusiness(delivery), failure);
  }
  // A body that stays behind is found by the sweep.
  if (messageDone !== null) await deps.bodies.delete(messageDone).catch(() => {});
}

const unreadable: DeliveryFailure = { code: "spool_lost", enhancedStatus: "4.3.0" };

/**
 * A row that can't be read is not given up before the schedule is used up: the key it needs may be brought back, or the version that
 * wrote it. Nobody knows where it goes, so only its owner is told in the end.
 */
export async function settleUnreadable(row: UnreadableDelivery, deps: SettleDeps): Promise<void> {
  const notBefore = deps.retries.next({ ...row, attempts: row.attempts + 1 });
  if (notBefore !== null) {
    await deps.deliveries.defer(row.id, row.leaseToken, { notBefore, failure: unreadable });
    return;
  }
  const { finished, messageDone } = await deps.deliveries.finish(row.id, row.leaseToken, unreadable);
  if (finished) await deps.failures.reportUnreadable(row);
  if (messageDone !== null) await deps.bodies.delete(messageDone).catch(() => {});
}

/**
 * Forwarded mail that kept being deferred expired after days, unless the reason was ours; composed mail gives up sooner, and its
 * last reason counts.
 */
function finalFailure({ maxRetries }: Settled, outcome: Exclude<DeliveryOutcome, { kind: "taken" }>): FinalFailure {
  const isOurs = outcome.failure.code === "not_sealed";
  const isExpired = outcome.kind === "deferred" && maxRetries === undefined && !isOurs;
  return isExpired ? { code: "expired", enhancedStatus: "4.4.7", last: outcome.failure } : outcome.failure;
}

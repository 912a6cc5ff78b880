/** Stores the outcome of a leased delivery. A lost lease changes nothing: another worker has the delivery. */
import type {
  DeliveryFailure,
  DeliveryOutcome,
  DeliveryStore,
  DeliveryTarget,
  FinalFailure,
  UnreadableDelivery,
} from "../../core/delivery/delivery.ts";
import type { MessageBodies } from "../../core/message/message.ts";
import { type FailureReporter, withoutSenderReport } from "./failures.ts";
import type { RetryPlan } from "./schedule.ts";

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
  attempts: number;
  /** Retries that composed mail may have; absent for other mail, which may use the whole schedule. */
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
  // The report to the sender quotes the message's header, so it is sent before the body is deleted.
  if (finished && failure !== null) {
    const mayTellSender = isTakenByNone || delivery.target.isOneOfSeveral !== true;
    await deps.failures.report(mayTellSender ? delivery : withoutSenderReport(delivery), failure);
  }
  // A body that can't be deleted now is deleted by the sweep.
  if (messageDone !== null) await deps.bodies.delete(messageDone).catch(() => {});
}

const unreadable: DeliveryFailure = { code: "spool_lost", enhancedStatus: "4.3.0" };

/** An unreadable row is retried, since the key or the version that wrote it may be restored. */
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

/** Mail deferred to the end of the schedule has `expired`; composed or unencryptable mail has its last failure. */
function finalFailure({ maxRetries }: Settled, outcome: Exclude<DeliveryOutcome, { kind: "taken" }>): FinalFailure {
  const isOurs = outcome.failure.code === "not_sealed";
  const isExpired = outcome.kind === "deferred" && maxRetries === undefined && !isOurs;
  return isExpired ? { code: "expired", enhancedStatus: "4.4.7", last: outcome.failure } : outcome.failure;
}

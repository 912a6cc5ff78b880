/** Stores the outcome of a leased delivery; does nothing when another worker has taken over the lease. */
import {
  type Delivery,
  type DeliveryFailure,
  type DeliveryOutcome,
  type DeliveryStore,
  type DeliveryTarget,
  ENGINE_WAIT_MS,
  type FinalFailure,
  type UnreadableDelivery,
} from "../../core/delivery/delivery.ts";
import type { MessageBodies } from "../../core/message/message.ts";
import type { RetryPlan } from "../../limits/backoff.ts";
import { bounds } from "../../limits/table.ts";
import type { Clock, Logger, Metrics } from "../../runtime/ports.ts";
import type { ShutdownSignal } from "../../runtime/shutdown-signal.ts";
import { type FailureReporter, withoutSenderReport } from "./failures.ts";

export interface SettleDeps {
  deliveries: Pick<DeliveryStore, "finish" | "defer" | "wait">;
  bodies: Pick<MessageBodies, "delete">;
  failures: FailureReporter;
  retries: RetryPlan;
  /** Called once a host has taken a composed message, which its sender can't undo any more. Never rejects. */
  onComposedTaken(userId: string, recipient: string): Promise<void>;
  /** Called with each outcome of our answer to a probe, before it is stored. */
  onProbeOutcome(target: DeliveryTarget, outcome: DeliveryOutcome): Promise<void>;
}

export interface Settled extends Delivery {
  /** For composed mail; other mail may use the whole schedule. */
  maxRetries?: number;
}

export async function settle(
  delivery: Settled,
  leaseToken: string,
  outcome: DeliveryOutcome,
  deps: SettleDeps,
): Promise<void> {
  const isProbe = delivery.target.purpose === "probe";
  if (outcome.kind === "deferred" && (await keepWaiting(delivery, leaseToken, outcome, deps))) return;
  if (outcome.kind === "deferred" && !isAtProvider(outcome) && outcome.uncounted !== "for_engine") {
    const notBefore = deps.retries.next(delivery);
    if (notBefore !== null) {
      if (isProbe) await deps.onProbeOutcome(delivery.target, outcome);
      await deps.deliveries.defer(delivery.id, leaseToken, { notBefore, failure: outcome.failure });
      return;
    }
  }
  // A provider that has had the message for so long without saying more has taken it, as a relay would have.
  const isTaken = outcome.kind === "taken" || (outcome.kind === "deferred" && isAtProvider(outcome));
  const failure = isTaken ? null : finalFailure(delivery, outcome);
  if (isProbe)
    await deps.onProbeOutcome(delivery.target, failure === null ? { kind: "taken" } : { kind: "refused", failure });
  const { finished, messageDone, isTakenByNone } = await deps.deliveries.finish(delivery.id, leaseToken, failure);
  if (finished && isTaken) await tellTaken(delivery, deps);
  // The report quotes the message's header, so it is sent before the body is deleted.
  if (finished && failure !== null) {
    const mayTellSender = isTakenByNone || delivery.target.isOneOfSeveral !== true;
    await deps.failures.report(mayTellSender ? delivery : withoutSenderReport(delivery), failure);
  }
  // A body that can't be deleted now is deleted by the sweep.
  if (messageDone !== null) await deps.bodies.delete(messageDone).catch(() => {});
}

async function tellTaken({ maxRetries, target, userId }: Settled, deps: SettleDeps): Promise<void> {
  const { purpose, destination } = target;
  if (purpose === "send" && maxRetries !== undefined && userId !== null && destination.kind === "mailbox")
    await deps.onComposedTaken(userId, destination.address);
}

const isAtProvider = ({ failure }: Extract<DeliveryOutcome, { kind: "deferred" }>) => failure.code === "at_provider";

/** Milliseconds that a message may wait without a counted attempt; composed mail may be scheduled 30 days ahead. */
const WAIT_MAX_MS = 40 * 86_400_000;

/** @returns false when the outcome counts, or the message has waited for too long */
async function keepWaiting(
  { id, createdAt }: Settled,
  leaseToken: string,
  { uncounted, notBefore, failure }: Extract<DeliveryOutcome, { kind: "deferred" }>,
  { deliveries, retries }: SettleDeps,
): Promise<boolean> {
  if (uncounted === undefined || notBefore === undefined) return false;
  const mostMs = uncounted === "for_engine" ? retries.totalSeconds * 1000 + ENGINE_WAIT_MS : WAIT_MAX_MS;
  if (notBefore.getTime() - createdAt.getTime() > mostMs) return false;
  await deliveries.wait(id, leaseToken, { notBefore, failure, uncounted });
  return true;
}

const unreadable: DeliveryFailure = { code: "spool_lost", enhancedStatus: "4.3.0" };

/** Retries an unreadable row, because its key or version may be restored. */
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

export const BACKGROUND_LEASE_MS = 11 * 60_000;

export interface HeldLeasesDeps {
  deliveries: Pick<DeliveryStore, "extendLease">;
  settling: SettleDeps;
  shutdown: ShutdownSignal;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
}

/** Lease of a running attempt; gets a new token when this process claims the delivery again. */
export interface HeldLease {
  readonly id: string;
  leaseToken: string;
  leasedUntil: Date;
}

interface Held {
  lease: HeldLease;
  heartbeat: NodeJS.Timeout;
}

/** Renews leases of running attempts, which take over a new lease of their delivery, so that it is not sent twice. */
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

  /** @returns false when this process has no running attempt, so that one has to start */
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

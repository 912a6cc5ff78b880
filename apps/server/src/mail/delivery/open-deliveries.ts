/** Commits deliveries open at the reply; leases those still attempted, and settles them when they end. */
import type { DeliveryStore, InFlightMessages, MessageToEnqueue, OpenDelivery } from "../../core/delivery/delivery.ts";
import type { MessageBodies } from "../../core/message/message.ts";
import type { SpoolPlace, SpoolQuota, SpoolSpace } from "../../core/spool/spool-space.ts";
import type { RetryPlan } from "../../limits/backoff.ts";
import type { Clock, Logger, Random } from "../../runtime/ports.ts";
import type { ShutdownSignal } from "../../runtime/shutdown-signal.ts";
import type { Transaction } from "../transaction.ts";
import { withoutSenderReport } from "./failures.ts";
import { type FirstTry, isTakenBySibling, type PlannedDelivery } from "./first-try.ts";
import { BACKGROUND_LEASE_MS, type HeldLeases } from "./settle.ts";

export interface OpenDeliveriesDeps {
  store: { deliveries: Pick<DeliveryStore, "enqueue">; bodies: Pick<MessageBodies, "put" | "delete"> };
  /** `null`: a message whose only attempt still runs is queued like all others. */
  inFlight: InFlight | null;
  space: Pick<SpoolSpace, "reserve">;
  quota: Pick<SpoolQuota, "watch">;
  leases: HeldLeases;
  retries: Pick<RetryPlan, "next">;
  clock: Clock;
  random: Pick<Random, "uuid">;
}

/** `bytes.wire` is `null` once dropped from memory: the bytes were sent or are on disk. */
export interface TriedMessage {
  transaction: Transaction;
  bytes: { wire: Buffer | null };
  all: readonly FirstTry[];
}

export class OpenDeliveries {
  readonly #deps: OpenDeliveriesDeps;
  readonly #running = new Set<Promise<void>>();

  constructor(deps: OpenDeliveriesDeps) {
    this.#deps = deps;
  }

  get running(): number {
    return this.#running.size;
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  /** @throws AppError `spool_quota`, or any error of the store; then nothing is stored */
  async enqueue(message: TriedMessage): Promise<void> {
    const { transaction, all } = message;
    const open = all.filter(({ isOpen }) => isOpen).map(({ planned }) => planned);
    const place = await this.#deps.space.reserve(transaction.wire.length, open);
    try {
      const [only, ...others] = all;
      const isOne = only !== undefined && others.length === 0 && only.outcome === null;
      if (isOne && this.#deps.inFlight !== null) await this.#storeFile(message, only, this.#deps.inFlight, place);
      else await this.#storeRows(message, place);
    } catch (thrown) {
      place.release();
      throw thrown;
    }
  }

  async #storeFile({ transaction, bytes }: TriedMessage, tried: FirstTry, inFlight: InFlight, place: SpoolPlace) {
    const now = this.#deps.clock.now();
    const delivery = this.#leasedRow(tried.planned, now);
    const message = messageToEnqueue(transaction, now);
    await inFlight.files.store({ message, delivery, wire: transaction.wire });
    // The destination refused while the file was written; the caller reports it.
    if (tried.outcome?.kind === "refused") {
      await inFlight.files.forget(transaction.messageId);
      place.release();
    } else {
      tried.isEnqueued = true;
      this.#track(inFlight.end({ message, delivery, bytes, tried, place }));
    }
  }

  async #storeRows({ transaction, all }: TriedMessage, place: SpoolPlace): Promise<void> {
    const { store, quota, clock } = this.#deps;
    const { messageId } = transaction;
    await store.bodies.put(messageId, [transaction.wire]);
    // A destination may have taken the message while the body was written.
    const now = clock.now();
    const open = all.flatMap((tried) => {
      const row = this.#openRow(tried, now);
      return row === null ? [] : [{ tried, row: isTakenBySibling(tried, all) ? withoutSenderReport(row) : row }];
    });
    try {
      const rows = open.map(({ row }) => row);
      if (rows.length > 0) await store.deliveries.enqueue(messageToEnqueue(transaction, now), rows);
    } catch (thrown) {
      await store.bodies.delete(messageId).catch(() => {});
      throw thrown;
    }
    if (open.length === 0) {
      await store.bodies.delete(messageId).catch(() => {});
      return place.release();
    }
    place.stored();
    for (const { tried, row } of open) {
      tried.isEnqueued = true;
      if (row.aliasId !== null) quota.watch(row.aliasId);
      if (row.lease !== null) this.#track(this.#finish(tried, row.lease));
    }
  }

  #track(finished: Promise<void>): void {
    this.#running.add(finished);
    const done = () => this.#running.delete(finished);
    finished.then(done, done);
  }

  async #finish({ planned, ended }: FirstTry, { token, until }: LeasedRow["lease"]): Promise<void> {
    const { leases } = this.#deps;
    const lease = { id: planned.id, leaseToken: token, leasedUntil: until };
    leases.hold(lease, BACKGROUND_LEASE_MS);
    await leases.settle(lease, { ...planned, attempts: 1 }, await ended);
  }

  #openRow({ planned, outcome }: FirstTry, now: Date): OpenDelivery | null {
    if (outcome === null) return this.#leasedRow(planned, now);
    if (outcome.kind !== "deferred") return null;
    const notBefore = outcome.notBefore ?? this.#deps.retries.next({ attempts: 1 }) ?? now;
    const attempts = outcome.isUntried ? 0 : 1;
    return { ...rowOf(planned), attempts, notBefore, lease: null, lastFailure: outcome.failure };
  }

  #leasedRow(planned: PlannedDelivery, now: Date): LeasedRow {
    const until = new Date(now.getTime() + BACKGROUND_LEASE_MS);
    const lease = { token: this.#deps.random.uuid(), until };
    // Due when the lease ends without an outcome: after a crash, when the next start releases it.
    return { ...rowOf(planned), attempts: 0, notBefore: now, lease, lastFailure: null };
  }
}

function messageToEnqueue({ messageId, envelope, wire }: Transaction, now: Date): MessageToEnqueue {
  return { id: messageId, envelope, sizeBytes: wire.length, createdAt: now };
}

function rowOf({ id, messageId, aliasId, userId, target, createdAt }: PlannedDelivery) {
  return { id, messageId, aliasId, userId, target, createdAt };
}

type LeasedRow = OpenDelivery & { lease: NonNullable<OpenDelivery["lease"]> };

export interface MessageInFlight {
  message: MessageToEnqueue;
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

/** Messages whose only attempt outlasts the reply (embedded database), in files; failed ones move to the queue. */
export class InFlight {
  readonly files: InFlightMessages;
  readonly #deps: InFlightDeps;

  constructor(deps: InFlightDeps) {
    this.files = deps.files;
    this.#deps = deps;
  }

  /** Never throws: moving a message to the queue is retried, at last by the next start. */
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

  /** @returns false when the message was deleted meanwhile @throws when the process shuts down first */
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

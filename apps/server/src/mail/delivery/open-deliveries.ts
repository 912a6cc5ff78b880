/** Commits deliveries open at the reply; leases those still attempted, and settles them when they end. */
import type { DeliveryStore, MessageToKeep, OpenDelivery } from "../../core/delivery/delivery.ts";
import type { MessageBodies } from "../../core/message/message.ts";
import type { SpoolPlace, SpoolSpace } from "../../core/spool/spool-space.ts";
import type { Clock, Random } from "../../runtime/ports.ts";
import type { Transaction } from "../transaction.ts";
import type { PlannedDelivery } from "./delivery-plan.ts";
import { withoutSenderReport } from "./failures.ts";
import { type FirstTry, isTakenBySibling } from "./first-try.ts";
import { BACKGROUND_LEASE_MS, type HeldLeases } from "./held-leases.ts";
import type { InFlight, LeasedRow } from "./in-flight.ts";
import type { RetryPlan } from "./schedule.ts";
import type { SpoolQuota } from "./spool-quota.ts";

export interface OpenDeliveriesDeps {
  store: { deliveries: Pick<DeliveryStore, "keep">; bodies: Pick<MessageBodies, "put" | "delete"> };
  /** `null`: a message whose only attempt still runs is queued like all others. */
  inFlight: InFlight | null;
  space: Pick<SpoolSpace, "reserve">;
  quota: Pick<SpoolQuota, "watch">;
  leases: HeldLeases;
  retries: Pick<RetryPlan, "next">;
  clock: Clock;
  random: Pick<Random, "uuid">;
}

/** A message with its attempts. `bytes.wire` is `null` once dropped from memory: they were sent or are on disk. */
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

  /** @throws AppError `spool_quota`, or any error of the store; nothing is stored then */
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
    const message = messageToKeep(transaction, now);
    await inFlight.files.keep({ message, delivery, wire: transaction.wire });
    // The destination refused while the file was written: the caller reports it.
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
    // A destination may have taken the message while the body was written: its delivery is open no more.
    const now = clock.now();
    const open = all.flatMap((tried) => {
      const row = this.#openRow(tried, now);
      return row === null ? [] : [{ tried, row: isTakenBySibling(tried, all) ? withoutSenderReport(row) : row }];
    });
    try {
      const rows = open.map(({ row }) => row);
      if (rows.length > 0) await store.deliveries.keep(messageToKeep(transaction, now), rows);
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
    // Due as soon as the lease ends without an outcome: after a crash, when the next start of the process releases it.
    return { ...rowOf(planned), attempts: 0, notBefore: now, lease, lastFailure: null };
  }
}

function messageToKeep({ messageId, envelope, wire }: Transaction, now: Date): MessageToKeep {
  return { id: messageId, envelope, sizeBytes: wire.length, createdAt: now };
}

function rowOf({ id, messageId, aliasId, userId, target, createdAt }: PlannedDelivery) {
  return { id, messageId, aliasId, userId, target, createdAt };
}

/**
 * The sender service: claims due deliveries under a lease, tries them, settles them. Any number of processes may run one; a
 * lease that is not extended runs out and the delivery is somebody else's.
 */
import type { DeliveryOutcome, DeliveryStore, LeasedDelivery } from "../../core/delivery/delivery.ts";
import type { MessageBodies } from "../../core/message/message.ts";
import type { Clock, Logger, Metrics } from "../../core/ports.ts";
import type { ForwardCopy } from "../forward-copy.ts";
import type { MemoryBudget } from "../inbound/memory-budget.ts";
import { DeliveryShares } from "./delivery-shares.ts";
import type { Settled } from "./settle.ts";

export interface SenderDeps {
  deliveries: Pick<DeliveryStore, "claim" | "extendLease" | "putBack" | "nextDueAt" | "onWake">;
  bodies: Pick<MessageBodies, "get">;
  attempt(delivery: LeasedDelivery, copy: ForwardCopy): Promise<DeliveryOutcome>;
  settle(delivery: Settled, leaseToken: string, outcome: DeliveryOutcome): Promise<void>;
  /** `null` when the alias is gone. */
  makeCopy(delivery: LeasedDelivery, wire: Buffer): Promise<ForwardCopy | null>;
  budget: MemoryBudget;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
}

const concurrency = 40;
const shareLimits = { atOnce: 8, inLine: 32 };
const leaseMs = 60_000;
const heartbeatMs = 20_000;
/** A wake-up may be lost with a database connection; nothing waits longer than this for it. */
const maxSleepMs = 15_000;
const afterTroubleMs = 1000;

export class Sender {
  readonly #deps: SenderDeps;
  readonly #running = new Set<Promise<void>>();
  readonly #shares = new DeliveryShares(shareLimits);
  #lineHeartbeat: NodeJS.Timeout | null = null;
  /** What the last look into the queue still has to do. */
  #looking = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;
  #claiming = false;
  #again = false;
  #closed = false;

  constructor(deps: SenderDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#deps.deliveries.onWake(() => this.wake());
    this.#lineHeartbeat = setInterval(() => void this.#extendLine(), heartbeatMs);
    this.wake();
  }

  /** Looks into the queue now. */
  wake(): void {
    if (this.#closed) return;
    if (this.#claiming) {
      this.#again = true;
      return;
    }
    this.#claiming = true;
    this.#looking = this.#claim().finally(() => {
      this.#claiming = false;
      if (this.#again) {
        this.#again = false;
        this.wake();
      }
    });
  }

  /** Takes nothing new. What is running goes on under its lease; after `graceMs` it is left to whoever claims it next. */
  async close(graceMs: number): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#lineHeartbeat !== null) clearInterval(this.#lineHeartbeat);
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([this.#putBackLine().then(() => this.settled()), grace]);
    clearTimeout(timer);
  }

  /** Resolves when what runs now is over and written down. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#running]);
  }

  async #claim(): Promise<void> {
    try {
      for (let limit = this.#free(); limit > 0 && !this.#closed; limit = this.#free()) {
        const now = this.#deps.clock.now();
        const claimed = await this.#deps.deliveries.claim({ now, leaseMs, limit });
        await this.#admit(claimed);
        if (claimed.length < limit) return await this.#sleepUntilDue();
      }
    } catch (thrown) {
      this.#deps.logger.error("sender_claim_failed", { stack: thrown instanceof Error ? thrown.name : typeof thrown });
      this.#sleep(afterTroubleMs);
    }
  }

  #free(): number {
    return concurrency - this.#running.size;
  }

  /** Starts what has a share, lets some wait for one and gives the rest back. */
  async #admit(claimed: readonly LeasedDelivery[]): Promise<void> {
    const told = claimed.map((delivery) => ({
      delivery,
      answer: this.#closed ? "later" : this.#shares.admit(delivery),
    }));
    for (const { delivery, answer } of told) if (answer === "run") this.#track(delivery, this.#run(delivery));
    const later = told.filter((it) => it.answer === "later").map((it) => it.delivery);
    if (later.length > 0) await this.#putBack(later);
  }

  async #putBack(deliveries: readonly LeasedDelivery[]): Promise<void> {
    const now = this.#deps.clock.now();
    const back = deliveries.map((it) => ({
      ...it,
      notBefore: this.#closed ? now : this.#shares.comeBackAt(it, now),
    }));
    await this.#deps.deliveries.putBack(back);
  }

  /** Closing: another process, or the next start, need not wait for the leases to run out. */
  async #putBackLine(): Promise<void> {
    await this.#looking;
    const line = this.#shares.clearLine();
    if (line.length > 0) await this.#putBack(line).catch(() => {});
  }

  #startWaiting(): void {
    while (!this.#closed && this.#free() > 0) {
      const delivery = this.#shares.next();
      if (delivery === null) return;
      this.#track(delivery, this.#runStillLeased(delivery));
    }
  }

  #track(delivery: LeasedDelivery, run: Promise<void>): void {
    this.#running.add(run);
    void run.finally(() => {
      this.#running.delete(run);
      this.#shares.leave(delivery);
      this.#startWaiting();
      this.wake();
    });
  }

  /** What stood in line may have become somebody else's. */
  async #runStillLeased(delivery: LeasedDelivery): Promise<void> {
    if (await this.#extend(delivery)) await this.#run(delivery);
  }

  async #extendLine(): Promise<void> {
    await Promise.all(this.#shares.inLine.map((it) => this.#extend(it)));
  }

  async #sleepUntilDue(): Promise<void> {
    const dueAt = await this.#deps.deliveries.nextDueAt();
    const waitMs = dueAt === null ? maxSleepMs : dueAt.getTime() - this.#deps.clock.now().getTime();
    this.#sleep(Math.min(Math.max(waitMs, 50), maxSleepMs));
  }

  #sleep(ms: number): void {
    if (this.#closed) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.wake(), ms);
  }

  async #run(delivery: LeasedDelivery): Promise<void> {
    const heartbeat = setInterval(() => void this.#extend(delivery), heartbeatMs);
    let held = 0;
    try {
      if (!(await this.#waitForRoom(delivery.sizeBytes))) return;
      held = delivery.sizeBytes;
      const outcome = await this.#try(delivery);
      this.#deps.metrics.count("kauke_deliveries_total", {
        kind: delivery.target.destination.kind,
        result: outcome.kind,
      });
      await this.#deps.settle({ ...delivery, attempts: delivery.attempts + 1 }, delivery.leaseToken, outcome);
    } catch (thrown) {
      this.#deps.logger.error("delivery_run_failed", {
        id: delivery.id,
        stack: thrown instanceof Error ? thrown.name : typeof thrown,
      });
    } finally {
      clearInterval(heartbeat);
      this.#deps.budget.give(held);
    }
  }

  async #try(delivery: LeasedDelivery): Promise<DeliveryOutcome> {
    const wire = await this.#deps.bodies.get(delivery.messageId);
    if (wire === null) {
      this.#deps.logger.error("spool_body_missing", { id: delivery.messageId });
      return { kind: "refused", failure: { code: "spool_lost", enhancedStatus: "5.3.0" } };
    }
    const copy = await this.#deps.makeCopy(delivery, wire);
    // The alias is gone between claim and now: its owner deleted it, and its mail with it.
    if (copy === null) return { kind: "taken" };
    try {
      return await this.#deps.attempt(delivery, copy);
    } finally {
      copy.release();
    }
  }

  /** @returns false: the lease was lost, or nobody knows */
  async #extend(delivery: LeasedDelivery): Promise<boolean> {
    const until = new Date(this.#deps.clock.now().getTime() + leaseMs);
    return this.#deps.deliveries.extendLease(delivery.id, delivery.leaseToken, until).catch(() => false);
  }

  /** Bodies out of the spool count in the same byte budget as incoming mail. @returns false: closing, and nothing was taken */
  async #waitForRoom(sizeBytes: number): Promise<boolean> {
    while (!this.#deps.budget.take(sizeBytes)) {
      if (this.#closed) return false;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return true;
  }
}

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
/** After a look that found as much as was asked for, the next one waits until it can ask for this many. */
const worthALook = 16;
const shareLimits = { atOnce: 8, inLine: 128 };
const leaseMs = 60_000;
const heartbeatMs = 20_000;
/** A wake-up may be lost with a database connection; nothing waits longer than this for it. */
const maxSleepMs = 15_000;
const afterTroubleMs = 1000;
/** What is due within this time is claimed together. */
const gatherMs = 100;

export class Sender {
  readonly #deps: SenderDeps;
  readonly #running = new Set<Promise<void>>();
  readonly #shares = new DeliveryShares(shareLimits);
  #lineHeartbeat: NodeJS.Timeout | null = null;
  /** What the last look into the queue still has to do. */
  #looking = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;
  #timerAt = Number.POSITIVE_INFINITY;
  /** Earliest time anybody told of since the last look began: that look may not have seen it. */
  #toldDueAt = Number.POSITIVE_INFINITY;
  #claiming = false;
  #again = false;
  /** The last look found as much as it asked for. */
  #isMoreDue = false;
  #closed = false;

  constructor(deps: SenderDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#deps.deliveries.onWake((dueAt) => (dueAt === null ? this.wake() : this.#wakeAt(dueAt)));
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

  /** Looks into the queue when this is due: no query is needed to know when. */
  #wakeAt(dueAt: Date): void {
    const inMs = dueAt.getTime() - this.#deps.clock.now().getTime();
    if (inMs <= 0) return this.wake();
    this.#toldDueAt = Math.min(this.#toldDueAt, dueAt.getTime());
    if (!this.#claiming) this.#sleepAtMost(inMs);
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
      // With no slot free nothing is looked at, and who ends next must know that there may be something.
      if (this.#free() === 0) this.#isMoreDue = true;
      for (let limit = this.#free(); limit > 0 && !this.#closed; limit = this.#free()) {
        this.#toldDueAt = Number.POSITIVE_INFINITY;
        const now = this.#deps.clock.now();
        const claimed = await this.#deps.deliveries.claim({ now, leaseMs, limit });
        this.#isMoreDue = claimed.length === limit;
        await this.#admit(claimed);
        if (!this.#isMoreDue) return await this.#sleepUntilDue();
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
      if (this.#isMoreDue) this.#lookSoon();
    });
  }

  /** A claim for one slot costs nearly as much as a claim for many. */
  #lookSoon(): void {
    if (this.#free() >= worthALook) this.wake();
    else this.#sleepAtMost(0);
  }

  /** What stood in line so long that its lease may have run out can be somebody else's. */
  async #runStillLeased(delivery: LeasedDelivery): Promise<void> {
    if (this.#isFreshlyLeased(delivery) || (await this.#extend(delivery))) await this.#run(delivery);
  }

  #isFreshlyLeased({ leasedUntil }: LeasedDelivery): boolean {
    return leasedUntil.getTime() - this.#deps.clock.now().getTime() > leaseMs - heartbeatMs;
  }

  async #extendLine(): Promise<void> {
    await Promise.all(this.#shares.inLine.filter((it) => !this.#isFreshlyLeased(it)).map((it) => this.#extend(it)));
  }

  async #sleepUntilDue(): Promise<void> {
    const dueAt = await this.#deps.deliveries.nextDueAt();
    const at = Math.min(dueAt?.getTime() ?? Number.POSITIVE_INFINITY, this.#toldDueAt);
    this.#sleep(at - this.#deps.clock.now().getTime());
  }

  #sleep(ms: number): void {
    if (this.#closed) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const waitMs = Math.min(Math.max(ms, 0) + gatherMs, maxSleepMs);
    this.#timerAt = performance.now() + waitMs;
    this.#timer = setTimeout(() => {
      this.#timerAt = Number.POSITIVE_INFINITY;
      this.wake();
    }, waitMs);
  }

  #sleepAtMost(ms: number): void {
    if (performance.now() + ms + gatherMs < this.#timerAt) this.#sleep(ms);
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
    const isHeld = await this.#deps.deliveries.extendLease(delivery.id, delivery.leaseToken, until).catch(() => false);
    if (isHeld) delivery.leasedUntil = until;
    return isHeld;
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

/** Claims due deliveries under a lease, attempts and settles them, in any number of processes. */

import type {
  DeliveryOutcome,
  DeliveryStore,
  LeasedDelivery,
  PutBack,
  UnreadableDelivery,
} from "../../core/delivery/delivery.ts";
import type { Clock, Logger, Metrics } from "../../runtime/ports.ts";
import { refused } from "../classify-reply.ts";
import { Attempt, type AttemptDeps, startAttempt } from "./attempt.ts";
import { ClaimLoop } from "./claim-loop.ts";
import { countAttempt } from "./count-attempt.ts";
import { type HeldLeases, type SettleDeps, settle, settleUnreadable } from "./settle.ts";
import { DeliveryShares } from "./shares/delivery-shares.ts";
import { partiesOfDelivery } from "./shares/running-attempt.ts";
import type { SpooledCopies } from "./spooled-copies.ts";

export interface DeliveryWorkerDeps {
  queue: Pick<DeliveryStore, "claim" | "putBack" | "nextDueAt" | "onWake">;
  attempts: AttemptDeps;
  copies: SpooledCopies;
  leases: HeldLeases;
  settling: SettleDeps;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
}

/** Free slots before the next claim, if the last one left due deliveries in the queue. */
const CLAIM_AT_FREE_SLOTS = 16;
/** Milliseconds between claims triggered by free slots. */
const CLAIM_SPACING_MS = 50;
/** Deliveries claimed beyond the free slots, to wait in memory. */
const CLAIM_AHEAD = 32;
/** The queue is claimed again when so few deliveries wait for a slot. */
const WAITING_LOW = 24;
/** Milliseconds after which an attempt continues without a slot. */
const SLOT_MS = 5000;
const LEASE_MS = 60_000;
const HEARTBEAT_MS = LEASE_MS / 3;
const AFTER_ERROR_MS = 1000;
/** Milliseconds to the next claim when deliveries are due but no slot is free. */
const AFTER_NOTHING_MS = 500;
/** Milliseconds in which deliveries to put back are gathered for one statement. */
const GATHER_MS = 100;

const byOperator = refused("dropped", "5.3.0");

export class DeliveryWorker {
  readonly #deps: DeliveryWorkerDeps;
  readonly #loop: ClaimLoop;
  readonly #shares: DeliveryShares;
  readonly #running = new Set<Promise<void>>();
  #unattempted: PutBack[] = [];
  #waitingHeartbeat: NodeJS.Timeout | undefined;
  readonly #lastClaim = { at: Number.NEGATIVE_INFINITY, freedSince: 0, isMoreDue: false };

  constructor(deps: DeliveryWorkerDeps) {
    this.#deps = deps;
    this.#loop = new ClaimLoop(() => this.#claim(), deps.clock);
    this.#shares = new DeliveryShares(undefined, (destination) => deps.attempts.running.providerOf(destination));
  }

  start(): void {
    this.#deps.queue.onWake((dueAt) => (dueAt === null ? this.wake() : this.#loop.wakeAt(dueAt)));
    this.#waitingHeartbeat = setInterval(() => void this.#renewWaiting(), HEARTBEAT_MS);
    this.wake();
  }

  wake(): void {
    this.#loop.wake();
  }

  /** Deliveries that still run after `graceMs` are claimed again when their leases expire. */
  async close(graceMs: number): Promise<void> {
    clearInterval(this.#waitingHeartbeat);
    const { promise: grace, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, graceMs);
    const ended = this.#loop.close().then(() => this.#putBackWaiting());
    await Promise.race([ended.then(() => this.settled()), grace]);
    clearTimeout(timer);
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  async #claim(): Promise<void> {
    try {
      while (!this.#loop.isClosed) {
        const [limit, ownLimit] = [this.#shares.free("usual"), this.#shares.free("own")];
        // Without a free slot nothing is claimed, though deliveries may be due when one becomes free.
        this.#lastClaim.isMoreDue = true;
        if (limit <= 0 && ownLimit <= 0) return;
        const { deliveries, unreadable, isMore, isCutShort } = await this.#query(limit, ownLimit);
        this.#lastClaim.isMoreDue = isMore;
        await this.#putOffUnreadable(unreadable);
        const idle = deliveries.filter((claimed) => !this.#deps.leases.takeOver(claimed));
        const started = (await this.#failDropped(idle)) + (await this.#admit(idle.filter((one) => !one.isDropped)));
        if (!isMore) return this.#loop.sleepUntil(await this.#deps.queue.nextDueAt());
        if (started === 0 || !isCutShort) return this.#loop.sleep(AFTER_NOTHING_MS);
      }
    } catch (thrown) {
      const stack = thrown instanceof Error ? thrown.name : typeof thrown;
      this.#deps.logger.error("delivery_claim_failed", { stack });
      this.#loop.sleep(AFTER_ERROR_MS);
    }
  }

  #query(limit: number, ownLimit: number) {
    const { queue, clock, attempts } = this.#deps;
    this.#loop.forgetAnnounced();
    Object.assign(this.#lastClaim, { at: performance.now(), freedSince: 0 });
    return queue.claim({
      now: clock.now(),
      leaseMs: LEASE_MS,
      limit: limit > 0 ? limit + CLAIM_AHEAD : 0,
      ownLimit: Math.max(ownLimit, 0),
      perAccount: this.#shares.claimableOfAccount(),
      full: [...this.#shares.fullAccounts(), ...attempts.running.slowAccounts()],
      running: attempts.running.unsentByAccount(),
    });
  }

  async #putOffUnreadable(rows: readonly UnreadableDelivery[]): Promise<void> {
    for (const row of rows) {
      this.#deps.metrics.count("kauke_unreadable_total", { what: "delivery" });
      this.#deps.logger.error("delivery_unreadable", { id: row.id });
      // A delivery that could not be settled is due again when its lease expires.
      await settleUnreadable(row, this.#deps.settling).catch(() => {});
    }
  }

  /** Ends what the operator took out of the queue. @returns the number of these */
  async #failDropped(claimed: readonly LeasedDelivery[]): Promise<number> {
    const dropped = claimed.filter(({ isDropped }) => isDropped);
    // A delivery that could not be settled is due again when its lease expires.
    const settleOne = (one: LeasedDelivery) => settle(one, one.leaseToken, byOperator, this.#deps.settling);
    await Promise.all(dropped.map((one) => settleOne(one).catch(() => {})));
    return dropped.length;
  }

  /** Starts what fits. @returns the number started; the rest waits for a slot or is put back */
  async #admit(claimed: readonly LeasedDelivery[]): Promise<number> {
    let started = 0;
    const later: LeasedDelivery[] = [];
    for (const delivery of claimed) {
      const admitted = this.#loop.isClosed ? "later" : this.#shares.admit(delivery);
      if (admitted === "later") later.push(delivery);
      if (admitted === "run" && this.#start(delivery)) started++;
    }
    if (later.length > 0) await this.#deps.queue.putBack(later.map((delivery) => this.#toPutBack(delivery)));
    return started;
  }

  #start(delivery: LeasedDelivery): boolean {
    const { attempts, copies, leases } = this.#deps;
    const attempt = startAttempt(delivery, copies.of(delivery), attempts);
    if (!(attempt instanceof Attempt)) {
      this.#shares.leave(delivery);
      this.#putBackSoon(delivery);
      return false;
    }
    leases.hold(delivery, LEASE_MS);
    const leaveSlot = this.#slotOf(delivery);
    attempt.onSent(leaveSlot);
    this.#track(this.#settle(delivery, attempt).finally(leaveSlot));
    return true;
  }

  #track(work: Promise<void>): void {
    this.#running.add(work);
    const done = () => this.#running.delete(work);
    work.then(done, done);
  }

  /** @returns function that frees the slot when the message is sent or the attempt has ended */
  #slotOf(delivery: LeasedDelivery): () => void {
    let isFree = false;
    const leave = () => {
      clearTimeout(timer);
      if (isFree) return;
      isFree = true;
      this.#shares.leave(delivery);
      const isTakenAgain = this.#startWaiting();
      if (this.#lastClaim.isMoreDue) this.#claimSoon(isTakenAgain);
    };
    const timer = setTimeout(leave, SLOT_MS);
    return leave;
  }

  #startWaiting(): boolean {
    for (let isStarted = false; ; ) {
      const delivery = this.#loop.isClosed ? null : this.#shares.next();
      if (delivery === null) return isStarted;
      if (!this.#isFreshlyLeased(delivery)) this.#track(this.#renewAndStart(delivery));
      else if (!this.#start(delivery)) continue;
      isStarted = true;
    }
  }

  /** Renews the lease of a delivery that waited, since another worker may have claimed it. */
  async #renewAndStart(delivery: LeasedDelivery): Promise<void> {
    const isLeased = await this.#deps.leases.renew(delivery, LEASE_MS);
    if (isLeased && !this.#loop.isClosed) return void this.#start(delivery);
    this.#slotOf(delivery)();
    // `close` waits for this work, but would not wait for an attempt that starts now.
    if (isLeased) await this.#deps.queue.putBack([this.#toPutBack(delivery)]).catch(() => {});
  }

  #isFreshlyLeased({ leasedUntil }: LeasedDelivery): boolean {
    return leasedUntil.getTime() - this.#deps.clock.now().getTime() > LEASE_MS - HEARTBEAT_MS;
  }

  async #renewWaiting(): Promise<void> {
    const stale = this.#shares.waiting.filter((delivery) => !this.#isFreshlyLeased(delivery));
    await Promise.all(stale.map((delivery) => this.#deps.leases.renew(delivery, LEASE_MS)));
  }

  /** Schedules one claim for several free slots, since a large claim costs little more. */
  #claimSoon(isTakenAgain: boolean): void {
    const freed = Math.min(this.#shares.free("usual"), ++this.#lastClaim.freedSince);
    if (isTakenAgain && this.#shares.waiting.length > WAITING_LOW) return;
    const isWorthwhile = freed >= CLAIM_AT_FREE_SLOTS && performance.now() - this.#lastClaim.at >= CLAIM_SPACING_MS;
    if (isWorthwhile) this.wake();
    else this.#loop.sleepAtMost(0);
  }

  async #settle(delivery: LeasedDelivery, attempt: Attempt): Promise<void> {
    const { leases, metrics } = this.#deps;
    const outcome = await attempt.ended;
    if (outcome.kind === "deferred" && outcome.isUntried) {
      leases.release(delivery);
      return this.#putBackSoon(delivery, { outcome, pausedMs: attempt.pausedMs });
    }
    const isCounted = outcome.kind !== "deferred" || outcome.uncounted === undefined;
    if (isCounted) countAttempt(metrics, delivery.target.destination, outcome.kind);
    await leases.settle(delivery, { ...delivery, attempts: delivery.attempts + 1 }, outcome);
  }

  #putBackSoon(delivery: LeasedDelivery, untried?: Untried): void {
    this.#unattempted.push(this.#toPutBack(delivery, untried));
    if (this.#unattempted.length === 1) setTimeout(() => void this.#putBackUnattempted(), GATHER_MS);
  }

  async #putBackUnattempted(): Promise<void> {
    const deliveries = this.#unattempted.splice(0);
    // Deliveries that could not be put back are due again when their leases expire.
    if (deliveries.length > 0) await this.#deps.queue.putBack(deliveries).catch(() => {});
  }

  /** The row to put back, due no earlier than the end of the pause that the destination asked for. */
  #toPutBack(delivery: LeasedDelivery, untried?: Untried): PutBack {
    const { id, leaseToken } = delivery;
    const now = this.#deps.clock.now();
    if (this.#loop.isClosed) return { id, leaseToken, notBefore: now };
    if (untried?.outcome.notBefore !== undefined) return { id, leaseToken, notBefore: untried.outcome.notBefore };
    const pauseLeftMs = this.#deps.attempts.running.pauseLeftMs(partiesOfDelivery(delivery));
    const pauseEndsAt = now.getTime() + Math.max(pauseLeftMs, untried?.pausedMs ?? 0);
    return {
      id,
      leaseToken,
      notBefore: new Date(Math.max(this.#shares.retryAt(delivery, now).getTime(), pauseEndsAt)),
    };
  }

  /** Returns waiting deliveries at shutdown, so that other workers need not wait for the leases to expire. */
  async #putBackWaiting(): Promise<void> {
    const now = this.#deps.clock.now();
    const waiting = this.#shares.clearWaiting().map((delivery) => this.#toPutBack(delivery));
    const all = [...waiting, ...this.#unattempted.splice(0).map((putBack) => ({ ...putBack, notBefore: now }))];
    if (all.length > 0) await this.#deps.queue.putBack(all).catch(() => {});
  }
}

interface Untried {
  outcome: Extract<DeliveryOutcome, { kind: "deferred" }>;
  pausedMs: number;
}

/**
 * The delivery worker: claims due deliveries under a lease, attempts and settles them. Any number of processes may run
 * one; a lease that is not renewed expires, and another worker may claim the delivery. An attempt occupies a slot only
 * while it is quick; a slow one continues without a slot, limited by `running-attempts.ts`.
 */
import {
  type DeliveryOutcome,
  type DeliveryStore,
  isOwnMail,
  type LeasedDelivery,
  type UnreadableDelivery,
} from "../../core/delivery/delivery.ts";
import type { MessageBodies } from "../../core/message/message.ts";
import type { Clock, Logger, Metrics } from "../../runtime/ports.ts";
import type { BackgroundMemory } from "../background-memory.ts";
import { untried } from "../classify-reply.ts";
import type { ForwardCopy } from "../message/forward-copy.ts";
import type { HeldLeases } from "./held-leases.ts";
import type { Settled } from "./settle.ts";
import { DeliveryShares } from "./shares/delivery-shares.ts";
import { destinationName } from "./shares/destination-name.ts";
import { partiesOfDelivery, type RunningAttempt } from "./shares/running-attempt.ts";
import type { RunningAttempts } from "./shares/running-attempts.ts";
import type { SpooledCopy } from "./spooled-copy.ts";

export interface DeliveryWorkerDeps {
  deliveries: Pick<DeliveryStore, "claim" | "extendLease" | "putBack" | "nextDueAt" | "onWake">;
  bodies: Pick<MessageBodies, "get">;
  attempt(delivery: LeasedDelivery, copy: SpooledCopy, running: RunningAttempt): Promise<DeliveryOutcome>;
  attempts: RunningAttempts;
  settle(delivery: Settled, leaseToken: string, outcome: DeliveryOutcome): Promise<void>;
  settleUnreadable(row: UnreadableDelivery): Promise<void>;
  leases: HeldLeases;
  /** Rebuilds a delivery's copy from the stored message. @returns `null` when the alias was deleted */
  makeCopy(delivery: LeasedDelivery, wire: Buffer): Promise<SpooledCopy | null>;
  memory: BackgroundMemory;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
}

/** Slots that must become free before the next claim, if the last claim left due deliveries in the queue. */
const CLAIM_AT_FREE_SLOTS = 16;
/** Minimum milliseconds between two claims that are triggered by free slots. */
const CLAIM_SPACING_MS = 50;
/** Maximum deliveries that a claim takes beyond the free slots; they wait in memory for a slot. */
const CLAIM_AHEAD = 32;
/** Number of deliveries waiting for a slot at or below which the queue is claimed again. */
const WAITING_LOW = 24;
/** Milliseconds after which an attempt gives up its slot and continues without one. */
const SLOT_MS = 5000;
const LEASE_MS = 60_000;
const HEARTBEAT_MS = 20_000;
/** Maximum milliseconds between two claims: a wake-up may be lost together with a database connection. */
const SLEEP_MAX_MS = 15_000;
const AFTER_ERROR_MS = 1000;
/** Milliseconds until the next claim when deliveries are due but none can start before a slot is free. */
const AFTER_NOTHING_MS = 500;
/** Milliseconds for gathering due deliveries for one claim, and unattempted ones to put back by one statement. */
const GATHER_MS = 100;
/** Outcome of an attempt that threw. It counts against the retry schedule, so that it is not repeated for ever. */
const failedHere: DeliveryOutcome = { kind: "deferred", failure: { code: "try_later", enhancedStatus: "4.3.0" } };

export class DeliveryWorker {
  readonly #deps: DeliveryWorkerDeps;
  readonly #running = new Set<Promise<void>>();
  readonly #shares: DeliveryShares;
  /** Deliveries that were leased but not attempted, to be put back into the queue together. */
  #untried: LeasedDelivery[] = [];
  #waitingHeartbeat: NodeJS.Timeout | null = null;
  /** Milliseconds for which the provider of an unattempted delivery gets no mail. */
  readonly #pauses = new WeakMap<LeasedDelivery, number>();
  /** Retry time of a delivery that exceeded its destination's share. */
  readonly #heldUntil = new WeakMap<LeasedDelivery, Date>();
  /** Timers of slots that are free again, because the attempt ended, sent its message, or took `SLOT_MS`. */
  readonly #freedSlots = new WeakSet<NodeJS.Timeout>();
  /** Resolves when the current claim is complete. */
  #claimDone = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;
  #timerAt = Number.POSITIVE_INFINITY;
  /** Earliest due time of deliveries announced since the last claim began, which may have missed them. */
  #announcedDueAt = Number.POSITIVE_INFINITY;
  #claimedAt = Number.NEGATIVE_INFINITY;
  #freedSinceClaim = 0;
  #claiming = false;
  #claimAgain = false;
  /** Whether the last claim returned as many deliveries as it asked for. */
  #isMoreDue = false;
  #closed = false;

  constructor(deps: DeliveryWorkerDeps) {
    this.#deps = deps;
    this.#shares = new DeliveryShares(undefined, (destination) => deps.attempts.providerOf(destination));
  }

  start(): void {
    this.#deps.deliveries.onWake((dueAt) => (dueAt === null ? this.wake() : this.#wakeAt(dueAt)));
    this.#waitingHeartbeat = setInterval(() => void this.#extendWaiting(), HEARTBEAT_MS);
    this.wake();
  }

  /** Claims due deliveries now. */
  wake(): void {
    if (this.#closed) return;
    if (this.#claiming) {
      this.#claimAgain = true;
      return;
    }
    this.#claiming = true;
    this.#claimDone = this.#claim().finally(() => {
      const isWoken = this.#claimAgain;
      [this.#claiming, this.#claimAgain] = [false, false];
      if (isWoken) this.wake();
    });
  }

  /** Schedules a claim for an announced due time, without a query to find that time. */
  #wakeAt(dueAt: Date): void {
    const inMs = dueAt.getTime() - this.#deps.clock.now().getTime();
    if (inMs <= 0) return this.wake();
    this.#announcedDueAt = Math.min(this.#announcedDueAt, dueAt.getTime());
    if (!this.#claiming) this.#sleepAtMost(inMs);
  }

  /** Stops claiming. Deliveries still running after `graceMs` are claimed again when their leases expire. */
  async close(graceMs: number): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#waitingHeartbeat !== null) clearInterval(this.#waitingHeartbeat);
    const { promise: grace, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, graceMs);
    await Promise.race([this.#putBackWaiting().then(() => this.settled()), grace]);
    clearTimeout(timer);
  }

  /** Resolves when all running attempts have ended and are settled. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  async #claim(): Promise<void> {
    try {
      while (!this.#closed) {
        const [limit, ownLimit] = [this.#shares.free("usual"), this.#shares.free("own")];
        // Without a free slot nothing is claimed: deliveries may be due when the next slot becomes free.
        this.#isMoreDue = true;
        if (limit <= 0 && ownLimit <= 0) return;
        this.#announcedDueAt = Number.POSITIVE_INFINITY;
        [this.#claimedAt, this.#freedSinceClaim] = [performance.now(), 0];
        const { deliveries, unreadable, isMore, isCutShort } = await this.#deps.deliveries.claim({
          now: this.#deps.clock.now(),
          leaseMs: LEASE_MS,
          limit: limit > 0 ? limit + CLAIM_AHEAD : 0,
          ownLimit: Math.max(ownLimit, 0),
          perAccount: this.#shares.claimableOfAccount(),
          full: [...this.#shares.fullAccounts(), ...this.#deps.attempts.slowAccounts()],
          running: this.#deps.attempts.unsentByAccount(),
        });
        this.#isMoreDue = isMore;
        await this.#putOffUnreadable(unreadable);
        const started = await this.#admit(deliveries.filter((it) => !this.#deps.leases.takeOver(it)));
        if (!isMore) return await this.#sleepUntilDue();
        if (started === 0 || !isCutShort) return this.#sleep(AFTER_NOTHING_MS);
      }
    } catch (thrown) {
      this.#deps.logger.error("delivery_claim_failed", { stack: nameOf(thrown) });
      this.#sleep(AFTER_ERROR_MS);
    }
  }

  async #putOffUnreadable(rows: readonly UnreadableDelivery[]): Promise<void> {
    for (const row of rows) {
      this.#deps.metrics.count("kauke_unreadable_total", { what: "delivery" });
      this.#deps.logger.error("delivery_unreadable", { id: row.id });
      // A delivery that could not be settled is due again when its lease expires.
      await this.#deps.settleUnreadable(row).catch(() => {});
    }
  }

  /** Starts deliveries that get a slot, queues some for a slot, puts back the rest. @returns the number started */
  async #admit(claimed: readonly LeasedDelivery[]): Promise<number> {
    let started = 0;
    const later: LeasedDelivery[] = [];
    for (const delivery of claimed) {
      const answer = this.#closed ? "later" : this.#shares.admit(delivery);
      if (answer === "later") later.push(delivery);
      if (answer === "run" && this.#start(delivery, (attempt) => this.#run(delivery, attempt))) started++;
    }
    if (later.length > 0) await this.#putBack(later);
    return started;
  }

  async #putBack(deliveries: readonly LeasedDelivery[]): Promise<void> {
    const now = this.#deps.clock.now();
    const back = deliveries.map((it) => ({
      ...it,
      notBefore: this.#closed ? now : (this.#heldUntil.get(it) ?? this.#retryAt(it, now)),
    }));
    await this.#deps.deliveries.putBack(back);
  }

  /** Retry time of a delivery put back: not before the end of the pause that its destination asked for. */
  #retryAt(delivery: LeasedDelivery, now: Date): Date {
    const pausedMs = this.#deps.attempts.pauseLeftMs(partiesOfDelivery(delivery));
    const pauseMs = Math.max(pausedMs, this.#pauses.get(delivery) ?? 0);
    return new Date(Math.max(this.#shares.retryAt(delivery, now).getTime(), now.getTime() + pauseMs));
  }

  /** Puts back waiting deliveries at shutdown, so that others need not wait for their leases to expire. */
  async #putBackWaiting(): Promise<void> {
    await this.#claimDone;
    const waiting = [...this.#shares.clearWaiting(), ...this.#untried.splice(0)];
    if (waiting.length > 0) await this.#putBack(waiting).catch(() => {});
  }

  /** @returns whether a waiting delivery started */
  #startWaiting(): boolean {
    for (let isStarted = false; ; ) {
      const delivery = this.#closed ? null : this.#shares.next();
      if (delivery === null) return isStarted;
      isStarted = this.#start(delivery, (attempt) => this.#runStillLeased(delivery, attempt)) || isStarted;
    }
  }

  /** Starts a delivery that has a slot. @returns false when its account or destination may not have another attempt */
  #start(delivery: LeasedDelivery, run: (attempt: RunningAttempt) => Promise<DeliveryOutcome | null>): boolean {
    const attempt = this.#deps.attempts.start(partiesOfDelivery(delivery));
    if (attempt === null) {
      this.#shares.leave(delivery);
      this.#putBackSoon(delivery);
      return false;
    }
    this.#deps.leases.hold(delivery);
    const slot = setTimeout(() => this.#leaveSlot(delivery, slot), SLOT_MS);
    attempt.onSent = () => this.#leaveSlot(delivery, slot);
    const running = this.#settled(delivery, attempt, run(attempt)).finally(() => {
      this.#running.delete(running);
      this.#leaveSlot(delivery, slot);
    });
    this.#running.add(running);
    return true;
  }

  #leaveSlot(delivery: LeasedDelivery, slot: NodeJS.Timeout): void {
    clearTimeout(slot);
    if (this.#freedSlots.has(slot)) return;
    this.#freedSlots.add(slot);
    this.#shares.leave(delivery);
    const isTakenAgain = this.#startWaiting();
    if (this.#isMoreDue) this.#claimSoon(isTakenAgain);
  }

  /** Claims when several slots have become free and few deliveries wait for one: a large claim costs little more. */
  #claimSoon(isTakenAgain: boolean): void {
    const freed = Math.min(this.#shares.free("usual"), ++this.#freedSinceClaim);
    if (isTakenAgain && this.#shares.waiting.length > WAITING_LOW) return;
    const isWorthwhile = freed >= CLAIM_AT_FREE_SLOTS && performance.now() - this.#claimedAt >= CLAIM_SPACING_MS;
    if (isWorthwhile) this.wake();
    else this.#sleepAtMost(0);
  }

  /** Attempts a delivery; renews the lease first if it waited so long that another worker may have claimed it. */
  async #runStillLeased(delivery: LeasedDelivery, attempt: RunningAttempt): Promise<DeliveryOutcome | null> {
    const isLeased = this.#isFreshlyLeased(delivery) || (await this.#extend(delivery));
    return isLeased ? await this.#run(delivery, attempt) : null;
  }

  #isFreshlyLeased({ leasedUntil }: LeasedDelivery): boolean {
    return leasedUntil.getTime() - this.#deps.clock.now().getTime() > LEASE_MS - HEARTBEAT_MS;
  }

  async #extendWaiting(): Promise<void> {
    await Promise.all(this.#shares.waiting.filter((it) => !this.#isFreshlyLeased(it)).map((it) => this.#extend(it)));
  }

  async #sleepUntilDue(): Promise<void> {
    const dueAt = await this.#deps.deliveries.nextDueAt();
    const at = Math.min(dueAt?.getTime() ?? Number.POSITIVE_INFINITY, this.#announcedDueAt);
    this.#sleep(at - this.#deps.clock.now().getTime());
  }

  #sleep(ms: number): void {
    if (this.#closed) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const waitMs = Math.min(Math.max(ms, 0) + GATHER_MS, SLEEP_MAX_MS);
    this.#timerAt = performance.now() + waitMs;
    this.#timer = setTimeout(() => {
      this.#timerAt = Number.POSITIVE_INFINITY;
      this.wake();
    }, waitMs);
  }

  #sleepAtMost(ms: number): void {
    if (performance.now() + ms + GATHER_MS < this.#timerAt) this.#sleep(ms);
  }

  /** Settles a delivery with the outcome of `run`, `null` if another worker has the delivery. Never throws. */
  async #settled(
    delivery: LeasedDelivery,
    attempt: RunningAttempt,
    run: Promise<DeliveryOutcome | null>,
  ): Promise<void> {
    const heartbeat = setInterval(() => void this.#extend(delivery), HEARTBEAT_MS);
    try {
      const reported = await run
        .catch((thrown: unknown) => this.#failedHere(delivery, thrown))
        .finally(() => this.#deps.attempts.remove(attempt));
      if (reported === null) return;
      const outcome = this.#deps.attempts.finish(attempt, reported);
      if (outcome.kind === "deferred" && outcome.isUntried) {
        this.#pauses.set(delivery, attempt.pausedMs);
        if (outcome.notBefore !== undefined) this.#heldUntil.set(delivery, outcome.notBefore);
        return this.#putBackSoon(delivery);
      }
      const { kind } = delivery.target.destination;
      this.#deps.metrics.count("kauke_deliveries_total", { kind, result: outcome.kind });
      const settled = { ...delivery, attempts: delivery.attempts + 1 };
      await this.#deps.leases.settle(delivery, (leaseToken) => this.#deps.settle(settled, leaseToken, outcome));
    } catch (thrown) {
      this.#failedHere(delivery, thrown);
    } finally {
      this.#deps.leases.release(delivery);
      clearInterval(heartbeat);
    }
  }

  #failedHere({ id }: LeasedDelivery, thrown: unknown): DeliveryOutcome {
    this.#deps.logger.error("delivery_run_failed", { id, stack: nameOf(thrown) });
    return failedHere;
  }

  /** Attempts a delivery, reserving memory for its message until it is sent or the memory is needed elsewhere. */
  async #run(delivery: LeasedDelivery, attempt: RunningAttempt): Promise<DeliveryOutcome> {
    let copy: ForwardCopy | null = null;
    const evict = () => {
      if (!attempt.isSent) attempt.stop();
      copy?.release();
    };
    const release = this.#room(delivery, attempt, evict);
    if (release === null) return untried;
    try {
      const made = await this.#copyOf(delivery);
      if ("kind" in made) return made;
      copy = made.copy;
      copy.onEvicted = evict;
      const leaveSlot = attempt.onSent;
      attempt.onSent = () => {
        leaveSlot?.();
        if (!attempt.isPassedOn) return;
        release();
        copy?.release();
      };
      return await this.#deps.attempt(delivery, made, attempt);
    } finally {
      copy?.release();
      release();
    }
  }

  /** Reserves memory; the server's own small mail always gets it. @returns `null` when there is no room now */
  #room({ userId, target, sizeBytes: bytes }: LeasedDelivery, attempt: RunningAttempt, evict: () => void) {
    if (isOwnMail(target)) return this.#deps.memory.hold({ bytes, parties: () => ["own mail"], evict });
    const account = userId === null ? "operator" : `of ${userId}`;
    const to = `to ${destinationName(target.destination)}`;
    const parties = () => [account, to, ...(attempt.peer === null ? [] : [`at ${attempt.peer}`])];
    return this.#deps.memory.take({ bytes, parties, evict });
  }

  /** Reads the stored message and makes its copy. @returns an outcome when there is nothing to send */
  async #copyOf(delivery: LeasedDelivery): Promise<SpooledCopy | DeliveryOutcome> {
    const wire = await this.#deps.bodies.get(delivery.messageId);
    if (wire === null) {
      this.#deps.metrics.count("kauke_unreadable_total", { what: "body" });
      this.#deps.logger.error("spool_body_missing", { id: delivery.messageId });
      return { kind: "refused", failure: { code: "spool_lost", enhancedStatus: "5.3.0" } };
    }
    // No copy: the alias was deleted after the claim, and its mail with it.
    return (await this.#deps.makeCopy(delivery, wire)) ?? { kind: "taken" };
  }

  #putBackSoon(delivery: LeasedDelivery): void {
    this.#untried.push(delivery);
    if (this.#untried.length === 1) setTimeout(() => void this.#putBackUntried(), GATHER_MS);
  }

  async #putBackUntried(): Promise<void> {
    const deliveries = this.#untried.splice(0);
    // Deliveries that could not be put back are due again when their leases expire.
    if (deliveries.length > 0) await this.#putBack(deliveries).catch(() => {});
  }

  /** Renews the lease of a delivery. @returns false when the lease was lost, or may have been */
  async #extend(delivery: LeasedDelivery): Promise<boolean> {
    const until = new Date(this.#deps.clock.now().getTime() + LEASE_MS);
    const isHeld = await this.#deps.deliveries.extendLease(delivery.id, delivery.leaseToken, until).catch(() => false);
    if (isHeld) delivery.leasedUntil = until;
    return isHeld;
  }
}

const nameOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.name : typeof thrown);

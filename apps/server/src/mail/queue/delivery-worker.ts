/**
 * The delivery worker: claims due deliveries under a lease, attempts and settles them. Any number of processes may run
 * one; when a lease is not renewed it expires, and another worker may claim the delivery. An attempt occupies a slot
 * only while it is quick; a slow one continues without a slot, limited by `running-attempts.ts`.
 */
import type {
  DeliveryOutcome,
  DeliveryStore,
  LeasedDelivery,
  UnreadableDelivery,
} from "../../core/delivery/delivery.ts";
import { isOwnMail } from "../../core/delivery/delivery.ts";
import type { MessageBodies } from "../../core/message/message.ts";
import type { Clock, Logger, Metrics } from "../../core/ports.ts";
import type { BackgroundMemory } from "../background-memory.ts";
import { untried } from "../classify-reply.ts";
import type { ForwardCopy } from "../copy/forward-copy.ts";
import { CHUNK_BYTES } from "../transport/smtp-client/smtp-channel.ts";
import type { AttemptSignal } from "../transport/transport.ts";
import type { HeldLeases } from "./held-leases.ts";
import type { Settled } from "./settle.ts";
import { DeliveryShares } from "./shares/delivery-shares.ts";
import { destinationName } from "./shares/destination-name.ts";
import type { Attempt, RunningAttempts } from "./shares/running-attempts.ts";
import type { SpooledCopy } from "./spooled-copy.ts";

export interface DeliveryWorkerDeps {
  deliveries: Pick<DeliveryStore, "claim" | "extendLease" | "putBack" | "nextDueAt" | "onWake">;
  bodies: Pick<MessageBodies, "get">;
  attempt(delivery: LeasedDelivery, copy: SpooledCopy, signal: AttemptSignal): Promise<DeliveryOutcome>;
  attempts: RunningAttempts;
  settle(delivery: Settled, leaseToken: string, outcome: DeliveryOutcome): Promise<void>;
  settleUnreadable(row: UnreadableDelivery): Promise<void>;
  leases: HeldLeases;
  /** @returns `null` when the alias was deleted */
  makeCopy(delivery: LeasedDelivery, wire: Buffer): Promise<SpooledCopy | null>;
  memory: BackgroundMemory;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
}

/** Free slots needed before the next claim after one that returned as many deliveries as it asked for. */
const worthALook = 16;
/** Minimum milliseconds between two claims that are triggered by free slots. */
const lookEveryMs = 50;
/** Maximum deliveries of one account in one claim: what fits its slots and its share of the waiting line. */
const perAccount = 24;
/** Milliseconds after which an attempt gives up its slot and continues without one. */
const slotMs = 5000;
const leaseMs = 60_000;
const heartbeatMs = 20_000;
/** Longest sleep between two claims: a wake-up may be lost together with a database connection. */
const maxSleepMs = 15_000;
const afterTroubleMs = 1000;
/** Sleep after a claim that could start nothing although deliveries are due. */
const afterNothingMs = 500;
/** Time in which due deliveries are gathered for one claim, and returned ones for one statement. */
const gatherMs = 100;
/** Outcome of an attempt that threw, our own fault. It counts as an attempt, so that it is not repeated for ever. */
const failedHere: DeliveryOutcome = { kind: "deferred", failure: { code: "try_later", enhancedStatus: "4.3.0" } };

export class DeliveryWorker {
  readonly #deps: DeliveryWorkerDeps;
  readonly #running = new Set<Promise<void>>();
  readonly #shares: DeliveryShares;
  /** Deliveries that were leased but not attempted, to be put back into the queue together. */
  #untried: LeasedDelivery[] = [];
  #lineHeartbeat: NodeJS.Timeout | null = null;
  /** Milliseconds for which the provider of an unattempted delivery gets no mail. */
  readonly #pauses = new WeakMap<LeasedDelivery, number>();
  /** Time to offer a delivery again that exceeded its destination's share. */
  readonly #heldUntil = new WeakMap<LeasedDelivery, Date>();
  /** Timers of slots that were given up before their attempt ended. */
  readonly #left = new WeakSet<NodeJS.Timeout>();
  /** Resolves when the current claim is complete. */
  #looking = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;
  #timerAt = Number.POSITIVE_INFINITY;
  /** Earliest due time announced since the last claim began, which may not have included it. */
  #toldDueAt = Number.POSITIVE_INFINITY;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #claiming = false;
  #again = false;
  /** Whether the last claim returned as many deliveries as it asked for. */
  #isMoreDue = false;
  #closed = false;

  constructor(deps: DeliveryWorkerDeps) {
    this.#deps = deps;
    this.#shares = new DeliveryShares(undefined, (destination) => deps.attempts.providerOf(destination));
  }

  start(): void {
    this.#deps.deliveries.onWake((dueAt) => (dueAt === null ? this.wake() : this.#wakeAt(dueAt)));
    this.#lineHeartbeat = setInterval(() => void this.#extendLine(), heartbeatMs);
    this.wake();
  }

  /** Claims due deliveries now. */
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

  /** Schedules a claim for an announced due time, without a query to find that time. */
  #wakeAt(dueAt: Date): void {
    const inMs = dueAt.getTime() - this.#deps.clock.now().getTime();
    if (inMs <= 0) return this.wake();
    this.#toldDueAt = Math.min(this.#toldDueAt, dueAt.getTime());
    if (!this.#claiming) this.#sleepAtMost(inMs);
  }

  /** Stops claiming. Running attempts continue for `graceMs`; what then remains is left to whoever claims it next. */
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

  /** Resolves when all running attempts have ended and are settled. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  async #claim(): Promise<void> {
    try {
      while (!this.#closed) {
        const [limit, ownLimit] = [this.#shares.free("usual"), this.#shares.free("own")];
        // Without a free slot nothing is claimed, so the attempt that ends next must assume that deliveries are due.
        this.#isMoreDue = true;
        if (limit <= 0 && ownLimit <= 0) return;
        this.#toldDueAt = Number.POSITIVE_INFINITY;
        this.#lookedAt = performance.now();
        const full = [...this.#shares.fullAccounts(), ...this.#deps.attempts.slowAccounts()];
        const { deliveries, unreadable, isMore } = await this.#deps.deliveries.claim({
          now: this.#deps.clock.now(),
          leaseMs,
          limit: Math.max(limit, 0),
          ownLimit: Math.max(ownLimit, 0),
          perAccount,
          full,
          running: this.#deps.attempts.unsentByAccount(),
        });
        this.#isMoreDue = isMore;
        await this.#putOffUnreadable(unreadable);
        const started = await this.#admit(deliveries.filter((it) => !this.#deps.leases.takeOver(it)));
        if (!isMore) return await this.#sleepUntilDue();
        if (started === 0) return this.#sleep(afterNothingMs);
      }
    } catch (thrown) {
      this.#deps.logger.error("delivery_claim_failed", { stack: nameOf(thrown) });
      this.#sleep(afterTroubleMs);
    }
  }

  async #putOffUnreadable(rows: readonly UnreadableDelivery[]): Promise<void> {
    for (const row of rows) {
      this.#deps.metrics.count("kauke_unreadable_total", { what: "delivery" });
      this.#deps.logger.error("delivery_unreadable", { id: row.id });
      // If this fails the delivery is due again when its lease expires.
      await this.#deps.settleUnreadable(row).catch(() => {});
    }
  }

  /** Starts deliveries that get a slot, queues some for one, puts back the rest. @returns the number started */
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
      notBefore: this.#closed ? now : (this.#heldUntil.get(it) ?? this.#comeBackAt(it, now)),
    }));
    await this.#deps.deliveries.putBack(back);
  }

  /** Retry time of a delivery put back: not before the end of the pause that its destination asked for. */
  #comeBackAt(delivery: LeasedDelivery, now: Date): Date {
    const destination = destinationName(delivery.target.destination);
    const pauseMs = Math.max(this.#deps.attempts.pauseLeftMs(destination), this.#pauses.get(delivery) ?? 0);
    return new Date(Math.max(this.#shares.comeBackAt(delivery, now).getTime(), now.getTime() + pauseMs));
  }

  /** Puts back waiting deliveries at shutdown, so that others need not wait for their leases to expire. */
  async #putBackLine(): Promise<void> {
    await this.#looking;
    const line = [...this.#shares.clearLine(), ...this.#untried.splice(0)];
    if (line.length > 0) await this.#putBack(line).catch(() => {});
  }

  #startWaiting(): void {
    while (!this.#closed) {
      const delivery = this.#shares.next();
      if (delivery === null) return;
      this.#start(delivery, (attempt) => this.#runStillLeased(delivery, attempt));
    }
  }

  /** Starts a delivery that has a slot. @returns false when its slow destination already has its maximum of attempts */
  #start(delivery: LeasedDelivery, run: (attempt: Attempt) => Promise<DeliveryOutcome | null>): boolean {
    const { userId: account, target, sizeBytes } = delivery;
    const attempt = this.#deps.attempts.start({ account, destination: destinationName(target.destination), sizeBytes });
    if (attempt === null) {
      this.#shares.leave(delivery);
      this.#giveBackSoon(delivery);
      return false;
    }
    this.#deps.leases.hold(delivery);
    const slot = setTimeout(() => this.#leaveSlot(delivery, slot), slotMs);
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
    if (this.#left.has(slot)) return;
    this.#left.add(slot);
    this.#shares.leave(delivery);
    this.#startWaiting();
    if (this.#isMoreDue) this.#lookSoon();
  }

  /** Claims again once several slots are free: a claim for one slot costs nearly as much as a claim for many. */
  #lookSoon(): void {
    const isWorthIt = this.#shares.free("usual") >= worthALook && performance.now() - this.#lookedAt >= lookEveryMs;
    if (isWorthIt) this.wake();
    else this.#sleepAtMost(0);
  }

  /** Renews the lease first when the delivery waited so long that another worker may have claimed it. */
  async #runStillLeased(delivery: LeasedDelivery, attempt: Attempt): Promise<DeliveryOutcome | null> {
    const isLeased = this.#isFreshlyLeased(delivery) || (await this.#extend(delivery));
    return isLeased ? await this.#run(delivery, attempt) : null;
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

  /** Settles an attempt. Never throws. @param run resolves to `null` when another worker has the delivery */
  async #settled(delivery: LeasedDelivery, attempt: Attempt, run: Promise<DeliveryOutcome | null>): Promise<void> {
    const heartbeat = setInterval(() => void this.#extend(delivery), heartbeatMs);
    try {
      const told = await run
        .catch((thrown: unknown) => this.#failedHere(delivery, thrown))
        .finally(() => this.#deps.attempts.remove(attempt));
      if (told === null) return;
      const outcome = this.#deps.attempts.finish(attempt, told);
      if (outcome.kind === "deferred" && outcome.isUntried) {
        this.#pauses.set(delivery, attempt.pausedMs);
        if (outcome.notBefore !== undefined) this.#heldUntil.set(delivery, outcome.notBefore);
        return this.#giveBackSoon(delivery);
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
  async #run(delivery: LeasedDelivery, attempt: Attempt): Promise<DeliveryOutcome> {
    let copy: ForwardCopy | null = null;
    const giveWay = () => {
      if (!attempt.isSent) attempt.stop();
      copy?.release();
    };
    const release = this.#room(delivery, attempt, giveWay);
    if (release === null) return untried;
    try {
      const made = await this.#copyOf(delivery);
      if ("kind" in made) return made;
      copy = made.copy;
      copy.onEvicted = giveWay;
      const leaveSlot = attempt.onSent;
      attempt.onSent = () => {
        leaveSlot?.();
        // A small message may still be in the socket's buffer as a whole.
        if (delivery.sizeBytes <= CHUNK_BYTES) return;
        release();
        copy?.release();
      };
      return await this.#deps.attempt(delivery, made, attempt);
    } finally {
      copy?.release();
      release();
    }
  }

  /** Reserves memory, for which the server's own small mail need not wait. @returns `null` when there is no room now */
  #room({ userId, target, sizeBytes: bytes }: LeasedDelivery, attempt: Attempt, giveWay: () => void) {
    if (isOwnMail(target)) return this.#deps.memory.hold({ bytes, parties: () => ["own mail"], giveWay });
    const account = userId === null ? "operator" : `of ${userId}`;
    const to = `to ${destinationName(target.destination)}`;
    const parties = () => [account, to, ...(attempt.peer === null ? [] : [`at ${attempt.peer}`])];
    return this.#deps.memory.take({ bytes, parties, giveWay });
  }

  /** Makes the copy, which owns its bytes. @returns an outcome when there is nothing to send */
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

  #giveBackSoon(delivery: LeasedDelivery): void {
    this.#untried.push(delivery);
    if (this.#untried.length === 1) setTimeout(() => void this.#giveBack(), gatherMs);
  }

  async #giveBack(): Promise<void> {
    const deliveries = this.#untried.splice(0);
    // If this fails they are due again when their leases expire.
    if (deliveries.length > 0) await this.#putBack(deliveries).catch(() => {});
  }

  /** @returns false when the lease was lost, or may have been */
  async #extend(delivery: LeasedDelivery): Promise<boolean> {
    const until = new Date(this.#deps.clock.now().getTime() + leaseMs);
    const isHeld = await this.#deps.deliveries.extendLease(delivery.id, delivery.leaseToken, until).catch(() => false);
    if (isHeld) delivery.leasedUntil = until;
    return isHeld;
  }
}

const nameOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.name : typeof thrown);

/**
 * The delivery worker: claims due deliveries under a lease, tries them, settles them. Any number of processes may run one; a
 * lease that is not extended runs out and the delivery is somebody else's. An attempt holds one of its slots while it is quick; a
 * slow one goes on beside them, bounded by `running-attempts.ts`.
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
import { PIECE_BYTES } from "../transport/smtp-client/smtp-channel.ts";
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
  /** `null` when the alias is gone. */
  makeCopy(delivery: LeasedDelivery, wire: Buffer): Promise<SpooledCopy | null>;
  memory: BackgroundMemory;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
}

/** After a look that found as much as was asked for, the next one waits until it can ask for this many. */
const worthALook = 16;
/** Looks because of a slot that became free. */
const lookEveryMs = 50;
/** Of one account in one look: its share of the slots and of the line. */
const perAccount = 24;
/** An attempt that takes longer gives its slot up and goes on without. */
const slotMs = 5000;
const leaseMs = 60_000;
const heartbeatMs = 20_000;
/** A wake-up may be lost with a database connection; nothing waits longer than this for it. */
const maxSleepMs = 15_000;
const afterTroubleMs = 1000;
/** After a look that could start nothing although something is due. */
const afterNothingMs = 500;
/** What is due within this time is claimed together, what is given back within it too. */
const gatherMs = 100;
/** Of an attempt that threw: our own fault, whoever's message it was. It counts, or it would be repeated for ever. */
const failedHere: DeliveryOutcome = { kind: "deferred", failure: { code: "try_later", enhancedStatus: "4.3.0" } };

export class DeliveryWorker {
  readonly #deps: DeliveryWorkerDeps;
  readonly #running = new Set<Promise<void>>();
  readonly #shares: DeliveryShares;
  /** Leased, not tried, to be given back together. */
  #untried: LeasedDelivery[] = [];
  #lineHeartbeat: NodeJS.Timeout | null = null;
  /** Of deliveries that were not tried: how long their provider is left alone, ms. */
  readonly #pauses = new WeakMap<LeasedDelivery, number>();
  /** Of deliveries over their destination's share: when to offer them again. */
  readonly #heldUntil = new WeakMap<LeasedDelivery, Date>();
  /** Of slots that were given up before the attempt was over. */
  readonly #left = new WeakSet<NodeJS.Timeout>();
  /** What the last look into the queue still has to do. */
  #looking = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;
  #timerAt = Number.POSITIVE_INFINITY;
  /** Earliest time anybody told of since the last look began: that look may not have seen it. */
  #toldDueAt = Number.POSITIVE_INFINITY;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #claiming = false;
  #again = false;
  /** The last look found as much as it asked for. */
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
      while (!this.#closed) {
        const [limit, ownLimit] = [this.#shares.free("usual"), this.#shares.free("own")];
        // With no slot free nothing is looked at, and who ends next must know that there may be something.
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
      this.#deps.logger.error("sender_claim_failed", { stack: thrown instanceof Error ? thrown.name : typeof thrown });
      this.#sleep(afterTroubleMs);
    }
  }

  async #putOffUnreadable(rows: readonly UnreadableDelivery[]): Promise<void> {
    for (const row of rows) {
      this.#deps.metrics.count("kauke_unreadable_total", { what: "delivery" });
      this.#deps.logger.error("delivery_unreadable", { id: row.id });
      // Otherwise it is due again when its lease runs out.
      await this.#deps.settleUnreadable(row).catch(() => {});
    }
  }

  /** Starts what has a slot, lets some wait for one and gives the rest back. @returns how many were started */
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

  /** Not before the pause is over that its destination asked for. */
  #comeBackAt(delivery: LeasedDelivery, now: Date): Date {
    const destination = destinationName(delivery.target.destination);
    const pauseMs = Math.max(this.#deps.attempts.pauseLeftMs(destination), this.#pauses.get(delivery) ?? 0);
    return new Date(Math.max(this.#shares.comeBackAt(delivery, now).getTime(), now.getTime() + pauseMs));
  }

  /** Closing: another process, or the next start, need not wait for the leases to run out. */
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

  /** The delivery has a slot. @returns false when its destination is slow and has attempts enough: it comes back later */
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

  /** A claim for one slot costs nearly as much as a claim for many. */
  #lookSoon(): void {
    const isWorthIt = this.#shares.free("usual") >= worthALook && performance.now() - this.#lookedAt >= lookEveryMs;
    if (isWorthIt) this.wake();
    else this.#sleepAtMost(0);
  }

  /** What stood in line so long that its lease may have run out can be somebody else's. */
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

  /** Writes down what became of an attempt. Never throws. @param run `null`: nothing, somebody else has the delivery */
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
    this.#deps.logger.error("delivery_run_failed", {
      id,
      stack: thrown instanceof Error ? thrown.name : typeof thrown,
    });
    return failedHere;
  }

  /** Holds memory for the message while it is needed: until it is sent, or somebody else needs the room more. */
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
        // Of a small message all may still be in the socket's buffer.
        if (delivery.sizeBytes <= PIECE_BYTES) return;
        release();
        copy?.release();
      };
      return await this.#deps.attempt(delivery, made, attempt);
    } finally {
      copy?.release();
      release();
    }
  }

  /** Own mail is small, and waits for nobody's room. @returns `null`: no room now */
  #room({ userId, target, sizeBytes: bytes }: LeasedDelivery, attempt: Attempt, giveWay: () => void) {
    if (isOwnMail(target)) return this.#deps.memory.hold({ bytes, parties: () => ["own mail"], giveWay });
    const account = userId === null ? "operator" : `of ${userId}`;
    const to = `to ${destinationName(target.destination)}`;
    const parties = () => [account, to, ...(attempt.peer === null ? [] : [`at ${attempt.peer}`])];
    return this.#deps.memory.take({ bytes, parties, giveWay });
  }

  /** The bytes are the copy's alone. @returns an outcome when there is nothing to send */
  async #copyOf(delivery: LeasedDelivery): Promise<SpooledCopy | DeliveryOutcome> {
    const wire = await this.#deps.bodies.get(delivery.messageId);
    if (wire === null) {
      this.#deps.metrics.count("kauke_unreadable_total", { what: "body" });
      this.#deps.logger.error("spool_body_missing", { id: delivery.messageId });
      return { kind: "refused", failure: { code: "spool_lost", enhancedStatus: "5.3.0" } };
    }
    // Without one the alias is gone between claim and now: its owner deleted it, and its mail with it.
    return (await this.#deps.makeCopy(delivery, wire)) ?? { kind: "taken" };
  }

  #giveBackSoon(delivery: LeasedDelivery): void {
    this.#untried.push(delivery);
    if (this.#untried.length === 1) setTimeout(() => void this.#giveBack(), gatherMs);
  }

  async #giveBack(): Promise<void> {
    const deliveries = this.#untried.splice(0);
    // Otherwise they are due again when their leases run out.
    if (deliveries.length > 0) await this.#putBack(deliveries).catch(() => {});
  }

  /** @returns false: the lease was lost, or nobody knows */
  async #extend(delivery: LeasedDelivery): Promise<boolean> {
    const until = new Date(this.#deps.clock.now().getTime() + leaseMs);
    const isHeld = await this.#deps.deliveries.extendLease(delivery.id, delivery.leaseToken, until).catch(() => false);
    if (isHeld) delivery.leasedUntil = until;
    return isHeld;
  }
}

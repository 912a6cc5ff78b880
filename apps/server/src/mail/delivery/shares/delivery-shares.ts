/**
 * Slots of the delivery worker. The server's own mail has reserved slots; within both kinds each account and each
 * destination has a share. An account that has no slot for a destination may exceed the destination's share, which
 * others may have used up. A delivery without a slot waits in a short queue in memory, or is put back to be retried
 * later; next is the account that has the fewest slots. A slot is occupied only for the first seconds of an attempt: a
 * slow attempt continues without one.
 */

import { isOwnMail, type LeasedDelivery } from "../../../core/delivery/delivery.ts";
import { RetryLine } from "../../../limits/backoff.ts";
import { bounds } from "../../../limits/table.ts";
import { Counts } from "../../../runtime/maps.ts";
import { destinationName } from "./running-attempt.ts";

const { workerSlots } = bounds;

type Lane = "own" | "usual";
type LaneLimits = Pick<typeof workerSlots, "slots" | "account" | "destination" | "waiting" | "waitingOfAccount">;
type ShareLimits = Record<Lane, LaneLimits>;

const shareLimits: ShareLimits = {
  own: {
    slots: workerSlots.ownSlots,
    account: workerSlots.ownAccount,
    destination: workerSlots.ownDestination,
    waiting: workerSlots.ownWaiting,
    waitingOfAccount: workerSlots.ownWaitingOfAccount,
  },
  usual: workerSlots,
};

const retryRule = { firstMs: 5000, spacingMs: 50, maxMs: 10 * 60_000 };
const RETRY_LINES_MAX = 10_000;

export class DeliveryShares {
  readonly #limits: ShareLimits;
  /** Slots in use, by share key. */
  readonly #running = new Counts();
  #waiting: LeasedDelivery[] = [];
  readonly #retries = new RetryLine(retryRule, RETRY_LINES_MAX);
  readonly #providerOf: (destination: string) => string;
  /** Share keys counted for each admitted delivery until it leaves, because its provider may become known meanwhile. */
  readonly #held = new WeakMap<LeasedDelivery, readonly string[]>();

  /** @param providerOf organisation that runs a domain's mail hosts, if known: all its domains share their slots */
  constructor(limits: ShareLimits = shareLimits, providerOf: (destination: string) => string = (name) => name) {
    this.#limits = limits;
    this.#providerOf = providerOf;
  }

  /** Number of free slots in a lane. */
  free(lane: Lane): number {
    return this.#limits[lane].slots - this.#running.of(lane);
  }

  /**
   * Admits a claimed delivery.
   * @returns `run`: a slot is taken until `leave`; `wait`: queued for a slot; `later`: not accepted, to be put back
   */
  admit(delivery: LeasedDelivery): "run" | "wait" | "later" {
    if (this.#fullShare(delivery) === undefined) {
      const keys = this.#sharesOf(delivery).map(({ key }) => key);
      for (const key of keys) this.#running.add(key, 1);
      this.#held.set(delivery, keys);
      return "run";
    }
    if (!this.#mayWait(delivery)) return "later";
    this.#waiting.push(delivery);
    return "wait";
  }

  leave(delivery: LeasedDelivery): void {
    for (const key of this.#held.get(delivery) ?? []) {
      this.#running.add(key, -1);
      if (this.#running.of(key) === 0) this.#retries.end(key);
    }
    this.#held.delete(delivery);
  }

  /** Removes the first waiting delivery of the account with the fewest slots, and takes a slot for it. */
  next(): LeasedDelivery | null {
    let found: LeasedDelivery | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const it of this.#waiting) {
      const slots = it.userId === null ? 0 : this.#running.of(accountKey(it));
      // Of the many that may wait for one account, most are passed over by this alone.
      if (slots >= least || slots >= this.#limits[laneOf(it)].account || this.#fullShare(it) !== undefined) continue;
      [found, least] = [it, slots];
    }
    if (found === null) return null;
    this.#waiting = this.#waiting.filter((it) => it !== found);
    this.admit(found);
    return found;
  }

  get waiting(): readonly LeasedDelivery[] {
    return this.#waiting;
  }

  /** Removes all waiting deliveries. */
  clearWaiting(): LeasedDelivery[] {
    const left = this.#waiting;
    this.#waiting = [];
    return left;
  }

  /** Accounts with all their slots and half of their waiting places in use: no more of their mail need be claimed. */
  fullAccounts(): string[] {
    const free = this.#freePlaces("usual");
    const isEnough = (count: number) => count >= this.#halfOfPlaces(free + count);
    const waiting = new Counts();
    for (const { userId } of this.#waiting) if (userId !== null) waiting.add(userId, 1);
    const isFull = (id: string) => this.#running.of(`usual of ${id}`) >= this.#limits.usual.account;
    return [...waiting.keys()].filter((id) => isEnough(waiting.of(id)) && isFull(id));
  }

  /** Maximum deliveries of one account worth claiming at once: for its slots and half of its waiting places. */
  claimableOfAccount(): number {
    return this.#limits.usual.account + Math.floor(this.#halfOfPlaces(this.#freePlaces("usual")));
  }

  /** Half of the places that one account can get: a quarter of `free`, which then is a third of the places left. */
  #halfOfPlaces(free: number): number {
    return Math.max(this.#limits.usual.waitingOfAccount, free / 4) / 2;
  }

  /** Number of waiting places that an account may use now. */
  #placesOfAccount(lane: Lane): number {
    return Math.max(this.#limits[lane].waitingOfAccount, Math.floor(this.#freePlaces(lane) / 3));
  }

  #freePlaces(lane: Lane): number {
    return this.#limits[lane].waiting - this.#waiting.filter((it) => laneOf(it) === lane).length;
  }

  /** Retry time of a delivery that got `later` or was not attempted. */
  retryAt(delivery: LeasedDelivery, now: Date): Date {
    const share = this.#fullShare(delivery) ?? `usual to ${this.#destinationOf(delivery)}`;
    // The line of an account's retries must not delay those of others: every share is counted for the account here.
    const own = ` of ${delivery.userId ?? ""}`;
    return new Date(this.#retries.next(share.endsWith(own) ? share : share + own, now.getTime()));
  }

  /** An account that has none waiting may exceed all limits with one, and always has `waitingOfAccount` places. */
  #mayWait(delivery: LeasedDelivery): boolean {
    const lane = laneOf(delivery);
    const same = this.#waiting.filter((it) => laneOf(it) === lane);
    const own = same.filter((it) => it.userId === delivery.userId).length;
    if (own === 0) return true;
    return same.length < this.#limits[lane].waiting && own < this.#placesOfAccount(lane);
  }

  #destinationOf({ target }: LeasedDelivery): string {
    const name = destinationName(target.destination);
    return target.destination.kind === "mailbox" ? this.#providerOf(name) : name;
  }

  #fullShare(delivery: LeasedDelivery): string | undefined {
    return this.#sharesOf(delivery).find(({ key, limit }) => this.#running.of(key) >= limit)?.key;
  }

  #sharesOf(delivery: LeasedDelivery): { key: string; limit: number }[] {
    const lane = laneOf(delivery);
    const { slots, account, destination } = this.#limits[lane];
    const { userId } = delivery;
    const to = `${lane} to ${this.#destinationOf(delivery)}`;
    const isFirst = userId !== null && this.#running.of(`${to} of ${userId}`) === 0;
    return [
      { key: to, limit: isFirst ? slots : destination },
      ...(userId === null ? [] : [accountKey(delivery), `${to} of ${userId}`].map((key) => ({ key, limit: account }))),
      { key: lane, limit: slots },
    ];
  }
}

const accountKey = (delivery: LeasedDelivery) => `${laneOf(delivery)} of ${delivery.userId ?? ""}`;

function laneOf({ target }: LeasedDelivery): Lane {
  return isOwnMail(target) ? "own" : "usual";
}

/**
 * Slots of the delivery worker, shared by account and destination, with reserved ones for own mail. The account that
 * has the fewest slots is next. A slow attempt gives up its slot after some seconds and continues without one.
 */

import { destinationName, isOwnMail, type LeasedDelivery } from "../../../core/delivery/delivery.ts";
import { RetryLine } from "../../../limits/backoff.ts";
import { bounds } from "../../../limits/table.ts";
import { Counts } from "../../../runtime/maps.ts";

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
  readonly #running = new Counts();
  #waiting: LeasedDelivery[] = [];
  readonly #retries = new RetryLine(retryRule, RETRY_LINES_MAX);
  readonly #providerOf: (destination: string) => string;
  /** Share keys of admitted deliveries, because a provider may become known before the delivery leaves. */
  readonly #held = new WeakMap<LeasedDelivery, readonly string[]>();

  /** @param providerOf organisation of a domain's mail hosts, if known: its domains share their slots */
  constructor(limits: ShareLimits = shareLimits, providerOf: (destination: string) => string = (name) => name) {
    this.#limits = limits;
    this.#providerOf = providerOf;
  }

  free(lane: Lane): number {
    return this.#limits[lane].slots - this.#running.of(lane);
  }

  /** @returns `run`: takes a slot until `leave`; `wait`: queued for a slot; `later`: to be put back */
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

  /** Dequeues the first delivery of the account with the fewest slots, and takes a slot for it. */
  next(): LeasedDelivery | null {
    let found: LeasedDelivery | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const it of this.#waiting) {
      const slots = it.userId === null ? 0 : this.#running.of(accountKey(it));
      // A quick check that passes over most of the many deliveries that may wait for one account.
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

  clearWaiting(): LeasedDelivery[] {
    const left = this.#waiting;
    this.#waiting = [];
    return left;
  }

  /** Accounts with all slots and half of their waiting places in use, for which nothing more is claimed. */
  fullAccounts(): string[] {
    const free = this.#freePlaces("usual");
    const isEnough = (count: number) => count >= this.#halfOfPlaces(free + count);
    const waiting = new Counts();
    for (const { userId } of this.#waiting) if (userId !== null) waiting.add(userId, 1);
    const isFull = (id: string) => this.#running.of(`usual of ${id}`) >= this.#limits.usual.account;
    return [...waiting.keys()].filter((id) => isEnough(waiting.of(id)) && isFull(id));
  }

  /** Maximum deliveries worth claiming for one account: its slots and half of its waiting places. */
  claimableOfAccount(): number {
    return this.#limits.usual.account + Math.floor(this.#halfOfPlaces(this.#freePlaces("usual")));
  }

  /** Half of an account's possible places: a quarter of `free`, which then is a third of the places left. */
  #halfOfPlaces(free: number): number {
    return Math.max(this.#limits.usual.waitingOfAccount, free / 4) / 2;
  }

  #placesOfAccount(lane: Lane): number {
    return Math.max(this.#limits[lane].waitingOfAccount, Math.floor(this.#freePlaces(lane) / 3));
  }

  #freePlaces(lane: Lane): number {
    return this.#limits[lane].waiting - this.#waiting.filter((it) => laneOf(it) === lane).length;
  }

  retryAt(delivery: LeasedDelivery, now: Date): Date {
    const share = this.#fullShare(delivery) ?? `usual to ${this.#destinationOf(delivery)}`;
    // Every share is counted per account, so that one account's retries do not delay those of others.
    const own = ` of ${delivery.userId ?? ""}`;
    return new Date(this.#retries.next(share.endsWith(own) ? share : share + own, now.getTime()));
  }

  /** An account with none waiting may exceed all limits by one, and always has `waitingOfAccount` places. */
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

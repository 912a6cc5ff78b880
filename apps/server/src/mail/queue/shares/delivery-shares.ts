/**
 * Slots of the delivery worker. The server's own mail has reserved slots; within both kinds each account and each
 * destination has a share. A delivery without a slot waits in a short line or comes back later. A slot is occupied only
 * for the first seconds of an attempt: a slow attempt continues without one.
 */
import { BoundedMap } from "../../../core/bounded-map.ts";
import { isOwnMail, type LeasedDelivery } from "../../../core/delivery/delivery.ts";
import { destinationName } from "./destination-name.ts";

export interface LaneLimits {
  slots: number;
  account: number;
  destination: number;
  /** Maximum waiting deliveries, in total and of one account. */
  inLine: number;
  inLineOfAccount: number;
}

type Lane = "own" | "usual";
export type ShareLimits = Record<Lane, LaneLimits>;

export const shareLimits: ShareLimits = {
  own: { slots: 8, account: 2, destination: 4, inLine: 32, inLineOfAccount: 4 },
  usual: { slots: 32, account: 8, destination: 8, inLine: 256, inLineOfAccount: 16 },
};

const comeBackMs = 5000;
/** Milliseconds between two deliveries that come back for the same share: a long queue returns gradually, in order. */
const spacingMs = 50;
const comeBackMaxMs = 10 * 60_000;

export class DeliveryShares {
  readonly #limits: ShareLimits;
  readonly #running = new Map<string, number>();
  #line: LeasedDelivery[] = [];
  readonly #comeBackAt = new BoundedMap<string, number>(REMEMBERED_MAX);
  readonly #providerOf: (destination: string) => string;
  /** Share keys counted for each admitted delivery until it leaves, because its provider may become known meanwhile. */
  readonly #held = new WeakMap<LeasedDelivery, readonly string[]>();

  /** @param providerOf operator of a domain's mail hosts, as far as known: all domains of a provider share its slots */
  constructor(limits: ShareLimits = shareLimits, providerOf: (destination: string) => string = (name) => name) {
    this.#limits = limits;
    this.#providerOf = providerOf;
  }

  /** Number of free slots in a lane. */
  free(lane: Lane): number {
    return this.#limits[lane].slots - this.#count(lane);
  }

  /** `run` means that a slot is taken until `leave`. */
  admit(delivery: LeasedDelivery): "run" | "wait" | "later" {
    if (this.#fullShare(delivery) === undefined) {
      const keys = this.#sharesOf(delivery).map(({ key }) => key);
      for (const key of keys) this.#running.set(key, this.#count(key) + 1);
      this.#held.set(delivery, keys);
      return "run";
    }
    if (!this.#hasPlaceInLine(delivery)) return "later";
    this.#line.push(delivery);
    return "wait";
  }

  leave(delivery: LeasedDelivery): void {
    for (const key of this.#held.get(delivery) ?? []) {
      const left = this.#count(key) - 1;
      if (left > 0) this.#running.set(key, left);
      else this.#running.delete(key);
      if (left === 0) this.#comeBackAt.delete(key);
    }
    this.#held.delete(delivery);
  }

  /** Removes the first waiting delivery whose shares have room, and takes a slot for it. */
  next(): LeasedDelivery | null {
    const found = this.#line.find((it) => this.#fullShare(it) === undefined);
    if (found === undefined) return null;
    this.#line = this.#line.filter((it) => it !== found);
    this.admit(found);
    return found;
  }

  get inLine(): readonly LeasedDelivery[] {
    return this.#line;
  }

  /** Removes all waiting deliveries from the line. */
  clearLine(): LeasedDelivery[] {
    const left = this.#line;
    this.#line = [];
    return left;
  }

  /** Accounts that use all their slots and half of their places in the line: no more of their mail need be claimed. */
  fullAccounts(): string[] {
    const { account, inLineOfAccount } = this.#limits.usual;
    const waiting = new Map<string, number>();
    for (const { userId } of this.#line) if (userId !== null) waiting.set(userId, (waiting.get(userId) ?? 0) + 1);
    return [...waiting]
      .filter(([id, count]) => count >= inLineOfAccount / 2 && this.#count(`usual of ${id}`) >= account)
      .map(([id]) => id);
  }

  /** Time to offer a delivery again that got `later` or was not attempted. */
  comeBackAt(delivery: LeasedDelivery, now: Date): Date {
    const key = this.#fullShare(delivery) ?? `usual to ${this.#destinationOf(delivery)}`;
    const soon = now.getTime() + comeBackMs;
    const at = Math.min(Math.max(soon, (this.#comeBackAt.get(key) ?? 0) + spacingMs), now.getTime() + comeBackMaxMs);
    this.#comeBackAt.set(key, at);
    return new Date(at);
  }

  #hasPlaceInLine(delivery: LeasedDelivery): boolean {
    const lane = laneOf(delivery);
    const { inLine, inLineOfAccount } = this.#limits[lane];
    const same = this.#line.filter((it) => laneOf(it) === lane);
    return same.length < inLine && same.filter((it) => it.userId === delivery.userId).length < inLineOfAccount;
  }

  #destinationOf({ target }: LeasedDelivery): string {
    const name = destinationName(target.destination);
    return target.destination.kind === "mailbox" ? this.#providerOf(name) : name;
  }

  #fullShare(delivery: LeasedDelivery): string | undefined {
    return this.#sharesOf(delivery).find(({ key, limit }) => this.#count(key) >= limit)?.key;
  }

  #sharesOf(delivery: LeasedDelivery): { key: string; limit: number }[] {
    const lane = laneOf(delivery);
    const { slots, account, destination } = this.#limits[lane];
    const { userId } = delivery;
    return [
      { key: `${lane} to ${this.#destinationOf(delivery)}`, limit: destination },
      ...(userId === null ? [] : [{ key: `${lane} of ${userId}`, limit: account }]),
      { key: lane, limit: slots },
    ];
  }

  #count(key: string): number {
    return this.#running.get(key) ?? 0;
  }
}

const REMEMBERED_MAX = 10_000;

function laneOf({ target }: LeasedDelivery): Lane {
  return isOwnMail(target) ? "own" : "usual";
}

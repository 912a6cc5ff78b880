/**
 * Shares of the sender's slots: so many deliveries at once to one destination domain and of one user, so that a slow host or a
 * busy account leaves room for everybody else. Some more wait in line for their share; the rest is to come back later.
 */
import type { LeasedDelivery } from "../../core/delivery/delivery.ts";

export interface ShareLimits {
  atOnce: number;
  inLine: number;
}

const comeBackMs = 5000;
/** Between two that come back for the same share: a long queue returns as a trickle, in its order. */
const spacingMs = 50;
const comeBackMaxMs = 10 * 60_000;

export class DeliveryShares {
  readonly #limits: ShareLimits;
  readonly #running = new Map<string, number>();
  #line: LeasedDelivery[] = [];
  readonly #comeBackAt = new Map<string, number>();

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  /** `run`: a share is taken until `leave`. */
  admit(delivery: LeasedDelivery): "run" | "wait" | "later" {
    const full = this.#fullShare(delivery);
    if (full === undefined) {
      for (const key of sharesOf(delivery)) this.#running.set(key, this.#count(key) + 1);
      return "run";
    }
    if (this.#line.filter((it) => sharesOf(it).includes(full)).length >= this.#limits.inLine) return "later";
    this.#line.push(delivery);
    return "wait";
  }

  leave(delivery: LeasedDelivery): void {
    for (const key of sharesOf(delivery)) {
      const left = this.#count(key) - 1;
      if (left > 0) this.#running.set(key, left);
      else this.#running.delete(key);
      if (left === 0) this.#comeBackAt.delete(key);
    }
  }

  /** The first in line whose shares have room; they are taken then. */
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

  /** Everybody leaves the line. */
  clearLine(): LeasedDelivery[] {
    const left = this.#line;
    this.#line = [];
    return left;
  }

  /** When to offer again what was told `later`. */
  comeBackAt(delivery: LeasedDelivery, now: Date): Date {
    const key = this.#fullShare(delivery) ?? "";
    const soon = now.getTime() + comeBackMs;
    const at = Math.min(Math.max(soon, (this.#comeBackAt.get(key) ?? 0) + spacingMs), now.getTime() + comeBackMaxMs);
    if (key !== "") this.#comeBackAt.set(key, at);
    return new Date(at);
  }

  #fullShare(delivery: LeasedDelivery): string | undefined {
    return sharesOf(delivery).find((key) => this.#count(key) >= this.#limits.atOnce);
  }

  #count(key: string): number {
    return this.#running.get(key) ?? 0;
  }
}

function sharesOf({ userId, target: { destination } }: LeasedDelivery): string[] {
  const domain =
    destination.kind === "mailbox"
      ? destination.address.slice(destination.address.lastIndexOf("@") + 1)
      : hostOf(destination.url);
  return [`to ${domain.toLowerCase()}`, ...(userId === null ? [] : [`of ${userId}`])];
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : "";
}

/**
 * Limits the number of concurrent attempts. Each account has a share. Above the total limit only accounts with fewer
 * attempts than an equal part of that limit may start more, at twice the limit only those without any, and mail waits in
 * the queue.
 */
import { Counts } from "../../../runtime/maps.ts";

export interface AttemptRoomLimits {
  all: number;
  account: number;
}

export const attemptRoomLimits: AttemptRoomLimits = { all: 1000, account: 200 };

export class AttemptRoom {
  readonly #limits: AttemptRoomLimits;
  /** Attempts by account. */
  readonly #running = new Counts();

  constructor(limits: AttemptRoomLimits = attemptRoomLimits) {
    this.#limits = limits;
  }

  /** @param account `null` for mail to the operator */
  hasRoom(account: string | null): boolean {
    const { all, account: share } = this.#limits;
    const running = this.#running.of(account ?? "");
    if (running >= share) return false;
    if (running === 0) return true;
    const total = this.#running.total;
    return total < all || (total < 2 * all && running < all / this.#running.size);
  }

  enter(account: string): void {
    this.#running.add(account, 1);
  }

  leave(account: string): void {
    this.#running.add(account, -1);
  }
}

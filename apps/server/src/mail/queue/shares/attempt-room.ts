/**
 * Limits the number of concurrent attempts. Each account has a share. Above the total limit only accounts with fewer
 * attempts than an equal part of that limit may start more, at twice the limit only those without any, and mail waits in
 * the queue.
 * Attempts are counted over all workers. Workers do not publish accounts with few attempts, so an equal part may come
 * out too large.
 */
import type { SharedCounts } from "../../../core/worker-shares/shared-counts.ts";
import { onlyWorker, type WorkerShares } from "../../../core/worker-shares/worker-shares.ts";

export interface AttemptRoomLimits {
  all: number;
  account: number;
}

export const attemptRoomLimits: AttemptRoomLimits = { all: 1000, account: 200 };

const ALL = "";

export class AttemptRoom {
  readonly #limits: AttemptRoomLimits;
  readonly #running: SharedCounts;
  /** Total number of attempts, under the key `ALL`. */
  readonly #total: SharedCounts;

  constructor(limits: AttemptRoomLimits = attemptRoomLimits, shares: WorkerShares = onlyWorker) {
    this.#limits = limits;
    this.#running = shares.counts("attempts of accounts");
    this.#running.withholdBelow(limits.account);
    this.#total = shares.counts("attempts");
  }

  /** @param account `null` for mail to the operator */
  hasRoom(account: string | null): boolean {
    const { all, account: share } = this.#limits;
    const running = this.#running.all(account ?? "");
    if (running >= share) return false;
    if (running === 0) return true;
    const total = this.#total.all(ALL);
    return total < all || (total < 2 * all && running < all / this.#running.size);
  }

  enter(account: string): void {
    this.#running.add(account, 1);
    this.#total.add(ALL, 1);
  }

  leave(account: string): void {
    this.#running.add(account, -1);
    this.#total.add(ALL, -1);
  }
}

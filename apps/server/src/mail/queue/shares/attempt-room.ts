/**
 * Limits the number of concurrent attempts. Each account has a share. Above the total limit only accounts with fewer
 * attempts than an equal part of that limit may start more; at twice the limit none may, and mail waits in the queue.
 */
export interface AttemptRoomLimits {
  all: number;
  account: number;
}

export const attemptRoomLimits: AttemptRoomLimits = { all: 1000, account: 200 };

export class AttemptRoom {
  readonly #limits: AttemptRoomLimits;
  readonly #running = new Map<string, number>();
  #total = 0;

  constructor(limits: AttemptRoomLimits = attemptRoomLimits) {
    this.#limits = limits;
  }

  /** @param account `null` for mail to the operator */
  hasRoom(account: string | null): boolean {
    const { all, account: share } = this.#limits;
    const running = this.#running.get(account ?? "") ?? 0;
    if (running >= share) return false;
    const accounts = this.#running.size + (running === 0 ? 1 : 0);
    return this.#total < all || (this.#total < 2 * all && running < all / accounts);
  }

  enter(account: string): void {
    this.#running.set(account, (this.#running.get(account) ?? 0) + 1);
    this.#total++;
  }

  leave(account: string): void {
    const left = (this.#running.get(account) ?? 0) - 1;
    if (left > 0) this.#running.set(account, left);
    else this.#running.delete(account);
    this.#total--;
  }
}

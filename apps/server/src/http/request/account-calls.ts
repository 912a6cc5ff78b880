/**
 * How many calls of one account are worked on at once. A call may hold everything an account owns in memory, its list of aliases
 * for example; hundreds of them at once would take the memory of all.
 */
import { AppError } from "../../core/app-error.ts";

const AT_ONCE = 4;
const WAITING_MAX = 200;

interface Account {
  running: number;
  waiting: (() => void)[];
}

export class AccountCalls {
  readonly #accounts = new Map<string, Account>();

  /** Runs the work in the order of the account's calls. @throws AppError `busy` when too many wait; and what the work throws */
  async run<T>(userId: string, work: () => Promise<T>): Promise<T> {
    const account = this.#accounts.get(userId) ?? { running: 0, waiting: [] };
    this.#accounts.set(userId, account);
    if (account.running < AT_ONCE) account.running += 1;
    else if (account.waiting.length >= WAITING_MAX) throw new AppError("busy");
    else await new Promise<void>((resolve) => account.waiting.push(resolve));
    try {
      return await work();
    } finally {
      this.#leave(userId, account);
    }
  }

  /** The place goes to the next that waits. */
  #leave(userId: string, account: Account): void {
    const next = account.waiting.shift();
    if (next !== undefined) return next();
    account.running -= 1;
    if (account.running === 0) this.#accounts.delete(userId);
  }
}

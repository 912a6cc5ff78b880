/**
 * Limits the concurrent calls of one account. A call may need memory for everything an account owns, such as its list
 * of aliases; hundreds of them at once would use up the memory.
 */
import { AppError } from "../../core/app-error.ts";

const CALLS_MAX = 4;
const WAITING_MAX = 200;

interface Account {
  running: number;
  waiting: (() => void)[];
}

export class AccountCalls {
  readonly #accounts = new Map<string, Account>();

  /**
   * Runs a call of the account, after its earlier calls if too many of them are in progress.
   * @throws AppError `busy` when too many calls of the account wait; also whatever `work` throws
   */
  async run<T>(userId: string, work: () => Promise<T>): Promise<T> {
    const account = this.#accounts.get(userId) ?? { running: 0, waiting: [] };
    this.#accounts.set(userId, account);
    if (account.running < CALLS_MAX) account.running += 1;
    else if (account.waiting.length >= WAITING_MAX) throw new AppError("busy");
    else await new Promise<void>((resolve) => account.waiting.push(resolve));
    try {
      return await work();
    } finally {
      this.#leave(userId, account);
    }
  }

  /** Starts the next waiting call of the account, if there is one. */
  #leave(userId: string, account: Account): void {
    const next = account.waiting.shift();
    if (next !== undefined) return next();
    account.running -= 1;
    if (account.running === 0) this.#accounts.delete(userId);
  }
}

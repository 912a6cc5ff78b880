/** Limits the concurrent calls of an account, each of which may need memory for everything the account owns. */
import { bounds } from "../../limits/table.ts";
import { FairQueue } from "../../runtime/fair-queue/fair-queue.ts";

export class AccountCalls {
  readonly #accounts = new Map<string, FairQueue>();

  /** Runs a call of the account in its turn. @throws QueueRefusal `busy` when too many wait; what `work` throws */
  async run<T>(userId: string, work: () => Promise<T>): Promise<T> {
    const { account: concurrency, waiting: waitingMax } = bounds.accountCalls;
    const calls = this.#accounts.get(userId) ?? new FairQueue({ concurrency, waitingMax });
    this.#accounts.set(userId, calls);
    try {
      return await calls.run({ party: userId }, work);
    } finally {
      if (calls.isIdle) this.#accounts.delete(userId);
    }
  }
}

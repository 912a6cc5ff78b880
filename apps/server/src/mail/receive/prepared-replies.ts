import type { PreparedMessage } from "../copy/write-as-alias.ts";
import type { SmtpReply } from "../reply.ts";

/** The answers of one transaction, written, checked and on disk. Those that `keep` has not queued have to be discarded. */
export class PreparedReplies {
  readonly #messages: PreparedMessage[] = [];

  add(message: PreparedMessage): void {
    this.#messages.push(message);
  }

  /**
   * @returns `null` when all are kept for sending, else the deferral for the whole transaction. Those kept before it are sent, and
   * sent again when the sender repeats the transaction.
   */
  async keep(): Promise<SmtpReply | null> {
    for (let next = this.#messages.shift(); next !== undefined; next = this.#messages.shift()) {
      const deferral = await next.keep();
      if (deferral !== null) return deferral;
    }
    return null;
  }

  async discard(): Promise<void> {
    for (const it of this.#messages.splice(0)) await it.discard();
  }
}

import type { PreparedMessage } from "../message/prepared-message.ts";
import type { SmtpReply } from "../reply.ts";

/**
 * Owners' replies of one transaction, written, checked and stored. Disposing discards
 * those that `enqueue` has not queued.
 */
export class PreparedReplies {
  readonly #messages: PreparedMessage[] = [];

  add(message: PreparedMessage): void {
    this.#messages.push(message);
  }

  /**
   * Queues all replies.
   * @returns `null` when all are queued, else the deferral for the whole transaction. Replies queued before the failure
   * are sent, and sent again when the sender repeats the transaction, unless they have marks (`answer-marks.ts`).
   */
  async enqueue(): Promise<SmtpReply | null> {
    for (let next = this.#messages.shift(); next !== undefined; next = this.#messages.shift()) {
      const deferral = await next.enqueue();
      if (deferral !== null) return deferral;
    }
    return null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const it of this.#messages.splice(0)) await it.discard();
  }
}

import type { SmtpReply } from "../reply.ts";

/** A final message that is stored in the spool, but not queued. Either `enqueue` or `discard` must be called. */
export interface PreparedMessage {
  /**
   * Queues the message.
   * @returns `null`, or the deferral when queueing failed; then nothing of the message stays stored
   */
  enqueue(): Promise<SmtpReply | null>;
  discard(): Promise<void>;
}

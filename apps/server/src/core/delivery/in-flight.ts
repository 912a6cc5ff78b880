/**
 * A kept message whose only open delivery is an attempt that is still running. Most such attempts end well, so the queue need not
 * hear of them: the message waits in one file until its attempt is over. Embedded database only; elsewhere another process must
 * be able to see it.
 */
import type { MessageToKeep, OpenDelivery } from "./delivery.ts";

export interface InFlightMessage {
  message: MessageToKeep;
  delivery: OpenDelivery;
  wire: Buffer;
}

export interface InFlightMessages {
  /**
   * Returns when the message is on stable storage; the next start puts it into the queue.
   * @throws AppError `spool_failed`; nothing is left behind
   */
  keep(it: InFlightMessage): Promise<void>;
  /** Its attempt took it. */
  forget(messageId: string): Promise<void>;
  /**
   * Its attempt did not: from now on it is the queue's, under the delivery's lease.
   * @param it `wire` is `null` when its bytes were dropped: they are read back, one message at a time
   * @returns false when alias or account are gone, and the message with them
   * @throws AppError `spool_failed`; it is under way still
   */
  moveToQueue(it: Omit<InFlightMessage, "wire"> & { wire: Buffer | null }): Promise<boolean>;
}

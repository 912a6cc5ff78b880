/**
 * Messages whose only open delivery is an attempt in progress. Most such attempts succeed, so the message is stored in
 * one file instead of the queue until the attempt ends. Embedded database only: with PostgreSQL, other processes must
 * be able to find it.
 */
import type { MessageToKeep, OpenDelivery } from "./delivery.ts";

export interface InFlightMessage {
  message: MessageToKeep;
  delivery: OpenDelivery;
  wire: Buffer;
}

export interface InFlightMessages {
  /**
   * Stores the message; resolves when it is on stable storage. After a crash, the next start puts it into the queue.
   * @throws AppError `spool_failed`, leaving no partial file behind
   */
  keep(inFlight: InFlightMessage): Promise<void>;
  /** Deletes the file of the message. Called when its attempt has ended and nothing is left to retry. */
  forget(messageId: string): Promise<void>;
  /**
   * Enqueues the message after its attempt failed, under the delivery's lease.
   * @param inFlight `wire` is `null` when the bytes are no longer in memory; they are then read back, one message at a
   * time
   * @returns false when the alias or account no longer exists; the message is then deleted
   * @throws AppError `spool_failed`; the message is still in its file
   */
  moveToQueue(inFlight: Omit<InFlightMessage, "wire"> & { wire: Buffer | null }): Promise<boolean>;
}

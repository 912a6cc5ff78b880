/**
 * Types of the exchange of counts between the mail processes of one host. "Worker" means each of them in this folder,
 * the process that owns the database included. `mail-workers/share-hub.ts` implements the exchange.
 */

/**
 * Change of a count in one worker: name of the limiter, key of the party as the limiter stores it, and count. A batch
 * of changes can be copied by the structured clone algorithm or as JSON.
 */
export type ShareChange = readonly [name: string, key: string, amount: number];
export type ShareBatch = readonly ShareChange[];

/** Sends this worker's changes to all other workers of the host, and receives theirs. */
export interface ShareExchange {
  /**
   * Number of this worker. No two running workers have the same number. The replacement of an ended worker may reuse
   * its number once `onGone` was called for it in every other worker.
   */
  readonly self: number;
  /** Queues a batch. The other workers receive a worker's batches in order, each within some 50 ms. */
  send(batch: ShareBatch): void;
  onBatch(listener: (from: number, batch: ShareBatch) => void): void;
  /**
   * Registers a listener that is called when another worker has ended, after that worker's last batch. Its connections
   * and attempts no longer count then.
   */
  onGone(listener: (from: number) => void): void;
}

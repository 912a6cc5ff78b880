/**
 * How the mail processes of one host exchange their counts. The processes that carry mail are called workers here, the
 * owner of the database among them. Types only: the links between the processes implement the exchange.
 */

/**
 * What changed in a worker: the name of a limit, the key of a party as that limit stores it, and a count. A batch can
 * be copied by the structured clone algorithm, and through JSON.
 */
export type ShareChange = readonly [name: string, key: string, amount: number];
export type ShareBatch = readonly ShareChange[];

/** Sends this worker's changes to all other workers of the host, and receives theirs. */
export interface ShareExchange {
  /**
   * Number of this worker. No two running workers have the same number. A worker that is started again may use that of
   * its predecessor once `onGone` was called for it everywhere.
   */
  readonly self: number;
  /** Queues a batch. The other workers receive a worker's batches in order, each within some 50 ms. */
  send(batch: ShareBatch): void;
  onBatch(listener: (from: number, batch: ShareBatch) => void): void;
  /**
   * Registers a listener for the end of another worker, whose connections and attempts then no longer count. It is
   * called after the worker's last batch.
   */
  onGone(listener: (from: number) => void): void;
}

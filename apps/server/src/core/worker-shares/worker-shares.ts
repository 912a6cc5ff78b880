/**
 * Limits that hold over all workers (mail processes) of a host. A limiter counts in its own memory, publishes what it
 * counts, and adds what the other workers publish, so that a decision costs no message. There are two kinds of counts:
 * events, such as a spent token, and what is in use now, such as open connections, which ends with its worker. What the
 * workers admit before they know of each other's counts, i.e. within some 75 ms, can exceed a limit.
 */
import { SharedCounts } from "./shared-counts.ts";

/** Publishes an event that was counted for a key; the default amount is 1. */
export type PublishEvent = (key: string, amount?: number) => void;

export interface EventReceiver {
  /** Counts an event of another worker. Amounts of one key that were published within a few ms arrive as one. */
  apply(key: string, amount: number): void;
  /** Joins two amounts of one key into the amount that is sent; default: their sum. */
  join?(one: number, other: number): number;
  /** State that a worker that starts later needs: keys with amounts. */
  state?(): Iterable<readonly [key: string, amount: number]>;
  /** Takes over one entry of another worker's `state`. The same entry may arrive from several workers. */
  applyState?(key: string, amount: number): void;
}

export interface WorkerShares {
  /**
   * Registers a receiver of the events of one limiter.
   * @param name name of the limiter: the same in all workers, registered once in each
   * @returns function that publishes an event; the receivers of this name in the other workers apply it
   */
  events(name: string, receiver: EventReceiver): PublishEvent;
  /** @param name name of the limiter: the same in all workers, registered once in each */
  counts(name: string): SharedCounts;
  /** Puts a prefix in front of the names, for limiters of which a process has several instances. */
  within(prefix: string): WorkerShares;
}

const publishNothing = () => {};

/** Shares of a process that is the only worker: nothing is published. */
export const onlyWorker: WorkerShares = {
  events: () => publishNothing,
  counts: () => new SharedCounts(),
  within: () => onlyWorker,
};

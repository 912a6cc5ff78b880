/**
 * Shares that hold over all workers of a host. A limiter counts in its own memory, publishes what it counts, and adds
 * what the others publish, so that a decision costs no message. Two kinds: events that happened (a token spent), and
 * counts that are in use now (open connections), which end with their worker. What all workers admit before they know
 * of each other, which takes some 50 ms, can exceed a limit.
 */
import { SharedCounts } from "./shared-counts.ts";

/** Publishes that something was counted for a key. */
export type PublishEvent = (key: string, amount?: number) => void;

export interface EventReceiver {
  /** Counts what another worker counted. Amounts for one key that were published in a short time arrive as one. */
  apply(key: string, amount: number): void;
  /** Joins two amounts for one key that were published in a short time; default: their sum. */
  join?(one: number, other: number): number;
  /** What a worker that starts later has to know. */
  state?(): Iterable<readonly [key: string, amount: number]>;
  /** Takes over an entry of another worker's `state`, even if it arrives from several workers or was known before. */
  applyState?(key: string, amount: number): void;
}

export interface WorkerShares {
  /**
   * @param name the same in all workers, used once in each
   * @returns publishes an event, which the receivers of this name in the other workers then apply
   */
  events(name: string, receiver: EventReceiver): PublishEvent;
  /** @param name the same in all workers, used once in each */
  counts(name: string): SharedCounts;
  /** Shares whose names begin with a prefix, for limiters that a process has several of. */
  within(prefix: string): WorkerShares;
}

const publishNothing = () => {};

/** Shares of a process that is the only worker. */
export const onlyWorker: WorkerShares = {
  events: () => publishNothing,
  counts: () => new SharedCounts(),
  within: () => onlyWorker,
};

/**
 * Budget for the bytes of messages in memory, over all sessions of the process, and over all workers if it is shared.
 * Over budget the sender is asked to retry later. A budget within another is one client's share of it. When a budget is
 * nearly full, the callbacks registered with it are asked to free memory: each worker frees a part in proportion to what
 * it holds, and those that hold most free what is less than one unit.
 */
import type { SharedCounts } from "../core/worker-shares/shared-counts.ts";
import type { PublishEvent, WorkerShares } from "../core/worker-shares/worker-shares.ts";

type Relief = (bytes: number) => void;

/** Used part of a budget above which its callbacks are asked to free memory. */
const PRESSURE_SHARE = 7 / 8;
/** Bytes of which the parts that workers free are multiples. */
const RELIEF_UNIT_BYTES = 65_536;
/** Minimum milliseconds between two reliefs for other workers: until the others know what the last one freed. */
const RELIEF_FOR_OTHERS_MS = 50;

/** Where the bytes of a budget are counted over all workers. */
export interface SharedBytes {
  counts: SharedCounts;
  key: string;
}

export class MemoryBudget {
  readonly #limitBytes: number;
  readonly #whole: MemoryBudget | null;
  readonly #shared: SharedBytes | null;
  readonly #reliefs = new Set<Relief>();
  /** Asks the other workers to free memory. */
  #publishWanted: PublishEvent | null = null;
  #relievedOthersAt = Number.NEGATIVE_INFINITY;
  #usedBytes = 0;

  /**
   * @param whole budget that this one is a share of
   * @param shared `null` for a budget of this process alone
   */
  constructor(limitBytes: number, whole: MemoryBudget | null = null, shared: SharedBytes | null = null) {
    this.#limitBytes = limitBytes;
    this.#whole = whole;
    this.#shared = shared;
  }

  /** Makes the budget one over all workers. @param shares shares of this budget alone */
  static over(shares: WorkerShares, limitBytes: number): MemoryBudget {
    const budget = new MemoryBudget(limitBytes, null, { counts: shares.counts("bytes"), key: "" });
    budget.#publishWanted = shares.events("wanted bytes", { apply: (_, bytes) => budget.#relieveForOthers(bytes) });
    return budget;
  }

  get limitBytes(): number {
    return this.#limitBytes;
  }

  /** Bytes that this process uses. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /**
   * Registers a callback that frees memory when the budget is nearly full.
   * @param relief called with the bytes wanted; frees what it can, at once
   * @returns function that removes the callback
   */
  onPressure(relief: Relief): () => void {
    this.#reliefs.add(relief);
    return () => this.#reliefs.delete(relief);
  }

  /** Takes bytes of the budget. @returns false, taking nothing, when they do not fit */
  take(bytes: number): boolean {
    if (this.#reliefs.size > 0) this.#relieve(bytes);
    if (this.#allBytes + bytes > this.#limitBytes || this.#whole?.take(bytes) === false) return false;
    this.#count(bytes);
    return true;
  }

  /** Counts bytes that are already in memory, even over the limit: new mail then has to wait. */
  hold(bytes: number): void {
    this.#count(bytes);
    this.#whole?.hold(bytes);
  }

  give(bytes: number): void {
    this.#count(-bytes);
    this.#whole?.give(bytes);
  }

  #count(bytes: number): void {
    this.#usedBytes += bytes;
    this.#shared?.counts.add(this.#shared.key, bytes);
  }

  get #othersBytes(): number {
    return this.#shared?.counts.others(this.#shared.key) ?? 0;
  }

  get #allBytes(): number {
    return this.#usedBytes + this.#othersBytes;
  }

  #relieve(bytes: number): void {
    const wanted = this.#allBytes + bytes - this.#limitBytes * PRESSURE_SHARE;
    if (wanted <= 0) return;
    if (this.#othersBytes === 0) return this.#relieveTo(this.#usedBytes - wanted);
    this.#publishWanted?.("", wanted);
    this.#relieveTo(this.#usedBytes - this.#partOf(wanted));
  }

  #relieveForOthers(wanted: number): void {
    const now = performance.now();
    if (now - this.#relievedOthersAt < RELIEF_FOR_OTHERS_MS) return;
    this.#relievedOthersAt = now;
    this.#relieveTo(this.#usedBytes - this.#partOf(wanted));
  }

  /** This worker's part of the bytes that all workers together are to free. */
  #partOf(wanted: number): number {
    if (this.#shared === null) return wanted;
    return this.#shared.counts.part(this.#shared.key, Math.ceil(wanted / RELIEF_UNIT_BYTES)) * RELIEF_UNIT_BYTES;
  }

  #relieveTo(bytes: number): void {
    for (const relief of this.#reliefs) {
      const wanted = this.#usedBytes - bytes;
      if (wanted <= 0) return;
      relief(wanted);
    }
  }
}

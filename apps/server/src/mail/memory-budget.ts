/**
 * Budget for the bytes of messages in memory, over all sessions of the process; over all workers if it is shared. When
 * it is used up, senders are asked to retry later. A budget within another budget is one client's share of it. When a
 * budget is nearly full, callbacks registered with it free memory; in a shared budget also those in other workers.
 */
import { ShortLivedSet } from "../core/short-lived.ts";
import type { SharedCounts } from "../core/worker-shares/shared-counts.ts";
import type { WorkerShares } from "../core/worker-shares/worker-shares.ts";
import { ReliefParts } from "./relief-parts.ts";

type Relief = (bytes: number) => void;

/** Used part of a budget above which its callbacks are asked to free memory. */
const PRESSURE_SHARE = 7 / 8;

/** Counts of bytes by client over all workers, and the key of one client in them. */
export interface ClientBytes {
  counts: SharedCounts;
  key: string;
}

export class MemoryBudget {
  readonly #limitBytes: number;
  readonly #whole: MemoryBudget | null;
  readonly #client: ClientBytes | null;
  readonly #parts: ReliefParts | null;
  readonly #reliefs = new ShortLivedSet<Relief>();
  #usedBytes = 0;

  /**
   * @param whole budget that this one is a client's share of; `null` for the whole budget
   * @param shares how this budget is counted over all workers; absent for a budget of this process alone
   */
  constructor(
    limitBytes: number,
    whole: { budget: MemoryBudget; client: ClientBytes } | null = null,
    shares?: WorkerShares,
  ) {
    this.#limitBytes = limitBytes;
    this.#whole = whole?.budget ?? null;
    this.#client = whole?.client ?? null;
    this.#parts =
      shares === undefined ? null : new ReliefParts(shares, (bytes) => this.#relieveTo(this.#usedBytes - bytes));
  }

  get limitBytes(): number {
    return this.#limitBytes;
  }

  /** Bytes of this budget that this process uses; other workers are not included. */
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
    this.#client?.counts.add(this.#client.key, bytes);
    this.#parts?.add(bytes);
  }

  get #allBytes(): number {
    const others = this.#client?.counts.others(this.#client.key) ?? this.#parts?.othersBytes ?? 0;
    return this.#usedBytes + others;
  }

  #relieve(bytes: number): void {
    const wanted = this.#allBytes + bytes - this.#limitBytes * PRESSURE_SHARE;
    if (wanted > 0) this.#relieveTo(this.#usedBytes - (this.#parts?.share(wanted) ?? wanted));
  }

  #relieveTo(bytes: number): void {
    for (const relief of this.#reliefs) {
      const wanted = this.#usedBytes - bytes;
      if (wanted <= 0) return;
      relief(wanted);
    }
  }
}

/**
 * Budget for the bytes of messages in memory, over all sessions of the process. When it is used up, senders are asked
 * to retry later. A budget within another budget is one client's share of it. When a budget is nearly full, callbacks
 * registered with it free memory.
 */

type Relief = (bytes: number) => void;

/** Used part of a budget above which its callbacks are asked to free memory. */
const PRESSURE_SHARE = 7 / 8;

export class MemoryBudget {
  readonly #limitBytes: number;
  readonly #whole: MemoryBudget | null;
  readonly #reliefs = new Set<Relief>();
  #usedBytes = 0;

  /** @param whole budget that this one is a client's share of; `null` for the whole budget */
  constructor(limitBytes: number, whole: MemoryBudget | null = null) {
    this.#limitBytes = limitBytes;
    this.#whole = whole;
  }

  get limitBytes(): number {
    return this.#limitBytes;
  }

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
    if (this.#usedBytes + bytes > this.#limitBytes || this.#whole?.take(bytes) === false) return false;
    this.#usedBytes += bytes;
    return true;
  }

  /** Counts bytes that are already in memory, even over the limit: new mail then has to wait. */
  hold(bytes: number): void {
    this.#usedBytes += bytes;
    this.#whole?.hold(bytes);
  }

  give(bytes: number): void {
    this.#usedBytes -= bytes;
    this.#whole?.give(bytes);
  }

  #relieve(bytes: number): void {
    const most = this.#limitBytes * PRESSURE_SHARE - bytes;
    for (const relief of this.#reliefs) {
      const wanted = this.#usedBytes - most;
      if (wanted <= 0) return;
      relief(wanted);
    }
  }
}

/**
 * Bytes of messages held in memory at once, over all sessions of the process. Over budget the sender is asked to come back.
 * A budget within another is one client's share of it.
 */
export class MemoryBudget {
  readonly #limitBytes: number;
  readonly #whole: MemoryBudget | null;
  #usedBytes = 0;

  constructor(limitBytes: number, whole: MemoryBudget | null = null) {
    this.#limitBytes = limitBytes;
    this.#whole = whole;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** @returns false, and takes nothing, when it would not fit */
  take(bytes: number): boolean {
    if (this.#usedBytes + bytes > this.#limitBytes || this.#whole?.take(bytes) === false) return false;
    this.#usedBytes += bytes;
    return true;
  }

  /** Counts what is in memory already and stays there, room or not: then new mail has to wait. */
  hold(bytes: number): void {
    this.#usedBytes += bytes;
    this.#whole?.hold(bytes);
  }

  give(bytes: number): void {
    this.#usedBytes -= bytes;
    this.#whole?.give(bytes);
  }
}

/**
 * Bytes of messages held in memory at once, over all sessions of the process. Over budget the sender is asked to come back.
 * A budget within another is one client's share of it. When the whole is nearly full, those who can give back are asked to.
 */
type Relief = (bytes: number) => void;

/** Of the whole budget: above it, slow senders have to make room. */
const pressureShare = 7 / 8;

export class MemoryBudget {
  readonly #limitBytes: number;
  readonly #whole: MemoryBudget | null;
  readonly #reliefs = new Set<Relief>();
  #usedBytes = 0;

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

  /** @param relief told how many bytes are wanted; gives back what it can, at once @returns stops that */
  onPressure(relief: Relief): () => void {
    this.#reliefs.add(relief);
    return () => this.#reliefs.delete(relief);
  }

  /** @returns false, and takes nothing, when it would not fit */
  take(bytes: number): boolean {
    if (this.#reliefs.size > 0) this.#relieve(bytes);
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

  #relieve(bytes: number): void {
    for (const relief of this.#reliefs) {
      const wanted = this.#usedBytes + bytes - this.#limitBytes * pressureShare;
      if (wanted <= 0) return;
      relief(wanted);
    }
  }
}

/** Claims what is due from the store at intervals, and works on a few at a time. */
interface Parts<T> {
  atOnce: number;
  pollMs: number;
  /** Leases up to `most` that are due. */
  claim(most: number): Promise<readonly T[]>;
  work(due: T, stopping: AbortSignal): Promise<void>;
  /** What failed is due again when its lease runs out. */
  onFailure(of: "claim" | "work"): void;
}

export class DueWorker<T> {
  readonly #parts: Parts<T>;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #claiming: Promise<void> | null = null;

  constructor(parts: Parts<T>) {
    this.#parts = parts;
  }

  start(): void {
    this.#wake();
  }

  /** Aborts what is in progress, and waits for it. */
  async close(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#claiming;
    clearTimeout(this.#timer);
    await Promise.all(this.#running);
  }

  #wake(): void {
    clearTimeout(this.#timer);
    if (this.#stopping.signal.aborted) return;
    this.#claiming ??= this.#claim().finally(() => {
      this.#claiming = null;
      this.#timer = setTimeout(() => this.#wake(), this.#parts.pollMs).unref();
    });
  }

  async #claim(): Promise<void> {
    const { atOnce, claim, onFailure } = this.#parts;
    try {
      for (let most = atOnce - this.#running.size; most > 0; most = atOnce - this.#running.size) {
        const due = await claim(most);
        if (due.length === 0) return;
        for (const one of due) this.#begin(one);
      }
    } catch {
      onFailure("claim");
    }
  }

  #begin(due: T): void {
    const { work, onFailure } = this.#parts;
    const running = work(due, this.#stopping.signal)
      .catch(() => onFailure("work"))
      .finally(() => {
        this.#running.delete(running);
        // A place is free for the next.
        if (this.#claiming === null) this.#wake();
      });
    this.#running.add(running);
  }
}

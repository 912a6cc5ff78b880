/** Tells whoever waits that the process is closing. Lighter than an AbortSignal: every message in hand listens. */
export class ClosingBell {
  readonly #listeners = new Set<() => void>();
  #isRung = false;

  get isRung(): boolean {
    return this.#isRung;
  }

  ring(): void {
    this.#isRung = true;
    for (const listener of this.#listeners) listener();
  }

  /** @returns stops listening */
  onRing(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

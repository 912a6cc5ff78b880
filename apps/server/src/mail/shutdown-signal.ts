/** Tells whoever waits that the process is closing. Lighter than an AbortSignal: every message in hand listens. */
export class ShutdownSignal {
  readonly #listeners = new Set<() => void>();
  #isShuttingDown = false;

  get isShuttingDown(): boolean {
    return this.#isShuttingDown;
  }

  begin(): void {
    this.#isShuttingDown = true;
    for (const listener of this.#listeners) listener();
  }

  /** @returns stops listening */
  onShutdown(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

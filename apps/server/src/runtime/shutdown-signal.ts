/** A signal lighter than an AbortSignal, since every message in progress listens. */
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

  onShutdown(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Resolves after `ms` milliseconds, or as soon as the process shuts down. */
  async sleep(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        stopListening();
        resolve();
      };
      const timer = setTimeout(done, ms);
      const stopListening = this.onShutdown(done);
    });
  }
}

/** Clean-up that stages register for the end of a transaction. Nearly all transactions need none, and pay nothing. */
export class CleanUps {
  #stack: AsyncDisposableStack | null = null;

  /** Registers an act; the last one registered runs first. */
  defer(act: () => Promise<void>): void {
    this.#stack ??= new AsyncDisposableStack();
    this.#stack.defer(act);
  }

  /** Runs all acts. @returns `null` when there are none */
  run(): Promise<void> | null {
    return this.#stack?.disposeAsync() ?? null;
  }
}

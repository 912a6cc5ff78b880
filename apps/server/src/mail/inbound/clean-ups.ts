/** Clean-up that stages register for the end of a transaction. Costs nothing in a transaction without any, as nearly all are. */
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

/** Runs calls one after another in their order, each in an iteration of the event loop of its own. */
export class LoopTurns {
  readonly #waiting: (() => void)[] = [];

  run(call: () => void): void {
    this.#waiting.push(call);
    if (this.#waiting.length === 1) setImmediate(() => this.#runFirst());
  }

  #runFirst(): void {
    // A callback that `setImmediate` gets while one runs is called in the next iteration.
    if (this.#waiting.length > 1) setImmediate(() => this.#runFirst());
    this.#waiting.shift()?.();
  }
}

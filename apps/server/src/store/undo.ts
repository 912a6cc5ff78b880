/** Cleanup steps, run in reverse order by `close` and after a failed start. */
export class Undo {
  readonly #steps: (() => Promise<void> | void)[] = [];

  add(step: () => Promise<void> | void): void {
    this.#steps.push(step);
  }

  async run(): Promise<void> {
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) await step();
  }
}

/** Runs `open`. If it throws, runs the cleanup steps that were added until then. @throws what `open` throws */
export async function openOrUndo<T>(open: (undo: Undo) => Promise<T>): Promise<T> {
  const undo = new Undo();
  try {
    return await open(undo);
  } catch (error) {
    await undo.run().catch(() => {});
    throw error;
  }
}

/**
 * Bounds the bytes that are on their way to the owner at the same time: they are copied into its memory, where no budget
 * counts them. Whoever does not fit waits; the first to wait is the first to go, and a larger one goes alone.
 */
export class ByteGate {
  readonly #maxBytes: number;
  readonly #waiting: { bytes: number; enter(): void }[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Runs the work when its bytes fit. Rejects as the work does. */
  async pass<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    if (this.#waiting.length > 0 || !this.#fits(bytes))
      await new Promise<void>((enter) => void this.#waiting.push({ bytes, enter }));
    else this.#bytes += bytes;
    try {
      return await work();
    } finally {
      this.#bytes -= bytes;
      this.#letIn();
    }
  }

  #letIn(): void {
    for (let next = this.#waiting[0]; next !== undefined && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#bytes += next.bytes;
      next.enter();
    }
  }

  #fits(bytes: number): boolean {
    return this.#bytes === 0 || this.#bytes + bytes <= this.#maxBytes;
  }
}

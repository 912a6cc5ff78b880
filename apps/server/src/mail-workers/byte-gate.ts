/**
 * Limits the bytes that a mail worker has in flight to the owner process: they are copied into the owner's memory,
 * where no budget counts them. A call that does not fit waits, first in first out; one above the limit runs alone.
 */
export class ByteGate {
  readonly #maxBytes: number;
  readonly #waiting: { bytes: number; enter(): void }[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Runs a call once its bytes fit; returns its result, or rejects with its error. */
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

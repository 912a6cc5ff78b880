/**
 * Collects the chunks of a stream. The objects of one chunk take some 400 bytes of memory however few bytes are in it, so
 * small chunks are copied into blocks: n bytes take at most 2 n plus one block, however they were cut.
 */

/** Chunks below this size are copied into blocks. */
const SMALL_BYTES = 4096;
export const BLOCK_BYTES = 16_384;

export class ByteBlocks {
  #chunks: Buffer[] = [];
  /** Block being filled, and the number of bytes in it. */
  #block: Buffer | null = null;
  #filled = 0;
  #length = 0;

  /** Bytes collected since the last `take`. */
  get length(): number {
    return this.#length;
  }

  /** Adds a chunk, which belongs to the blocks from now on: nothing else may be in its memory or change it. */
  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#length += chunk.length;
    if (this.#block !== null && this.#filled + chunk.length > BLOCK_BYTES) this.#closeBlock();
    // The first chunk is often the only one.
    if (this.#block === null && (chunk.length >= SMALL_BYTES || this.#chunks.length === 0)) {
      this.#chunks.push(chunk);
      return;
    }
    this.#block ??= Buffer.allocUnsafeSlow(BLOCK_BYTES);
    this.#filled += chunk.copy(this.#block, this.#filled);
  }

  /** Removes and returns the bytes, in order, as chunks none of which is empty. */
  take(): Buffer[] {
    this.#closeBlock();
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#length = 0;
    return chunks;
  }

  #closeBlock(): void {
    const [block, filled] = [this.#block, this.#filled];
    this.#block = null;
    this.#filled = 0;
    if (block === null) return;
    // A block that is mostly empty would keep more memory than twice its bytes.
    const whole = filled < BLOCK_BYTES / 2 ? Buffer.allocUnsafeSlow(filled) : block;
    if (whole !== block) block.copy(whole, 0, 0, filled);
    this.#chunks.push(whole.subarray(0, filled));
  }
}

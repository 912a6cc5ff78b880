/** Collects a stranger's stream. A chunk takes some 400 bytes however short it is, so small ones go into blocks. */

import { IncomingMessage, type ServerResponse } from "node:http";
import type { Readable } from "node:stream";

const SMALL_BYTES = 4096;
export const BLOCK_BYTES = 16_384;

export class ByteBlocks {
  #chunks: Buffer[] = [];
  #block: Buffer | null = null;
  #filled = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Takes over the chunk's memory: nothing else may change it. */
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

/**
 * A stream may have this many chunks, and one more for every 64 bytes. Each costs about a microsecond of the event
 * loop: three million chunks of one byte, 18 MB, would block it for seconds.
 */
const FREE_CHUNKS = 1024;
const BYTES_PER_CHUNK = 64;

export class ChunkCount {
  #chunks = 0;
  #bytes = 0;

  /** @returns whether the stream has too many chunks for its bytes */
  isTooMany(bytes: number): boolean {
    this.#chunks += 1;
    this.#bytes += bytes;
    return this.#chunks > FREE_CHUNKS + this.#bytes / BYTES_PER_CHUNK;
  }
}

/**
 * Reads a stream without a pause, because a paused stream buffers an object for each chunk.
 * @returns `null` if it did not arrive whole or has too many bytes or chunks; it is destroyed then
 */
export function collectStream(stream: Readable, maxBytes: number): Promise<Buffer[] | null> {
  const blocks = new ByteBlocks();
  const count = new ChunkCount();
  return new Promise((resolve) => {
    stream.on("data", (chunk: Buffer) => {
      const isTooLarge = blocks.length + chunk.length > maxBytes;
      if (isTooLarge || count.isTooMany(chunk.length)) return void stream.destroy();
      return blocks.push(chunk);
    });
    stream.on("end", () => resolve(blocks.take()));
    stream.on("error", () => {});
    stream.on("close", () => resolve(null));
  });
}

export class GatheredRequest extends IncomingMessage {
  readonly #blocks = new ByteBlocks();
  readonly #count = new ChunkCount();

  override push(chunk: Buffer | null): boolean {
    if (chunk === null) {
      this.#passOn();
      return super.push(null);
    }
    if (this.socket.destroyed) return false;
    if (this.#count.isTooMany(chunk.length)) {
      this.socket.destroy();
      return false;
    }
    this.#blocks.push(chunk);
    return this.#blocks.length < BLOCK_BYTES || this.#passOn();
  }

  /** @returns whether the stream's buffer has room for more */
  #passOn(): boolean {
    let hasRoom = true;
    for (const block of this.#blocks.take()) hasRoom = super.push(block);
    return hasRoom;
  }
}

/** Reads and drops the rest of a request after its response; Node would drop an unread body uncounted. */
export function dropRest(request: IncomingMessage, response: ServerResponse): void {
  response.prependListener("finish", () => {
    if (!request.complete) request.resume();
  });
}

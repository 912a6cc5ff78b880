/** Collects a stranger's stream in blocks, because even a one-byte chunk takes some 400 bytes of memory. */

import { IncomingMessage, type ServerResponse } from "node:http";
import { constants, type ServerHttp2Stream } from "node:http2";
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

  /** Takes ownership of the chunk's memory: nothing else may change it. */
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
    // A mostly empty block would take more than twice its bytes.
    const whole = filled < BLOCK_BYTES / 2 ? Buffer.allocUnsafeSlow(filled) : block;
    if (whole !== block) block.copy(whole, 0, 0, filled);
    this.#chunks.push(whole.subarray(0, filled));
  }
}

/** Allowed besides one chunk per 64 bytes. A chunk costs 1 µs: 18 MB in one-byte chunks would block for seconds. */
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

/** @returns `null` if incomplete, or if it has too many bytes or chunks: then the stream is destroyed */
export function collectStream(stream: Readable, maxBytes: number): Promise<Buffer[] | null> {
  const blocks = new ByteBlocks();
  const count = new ChunkCount();
  return new Promise((resolve) => {
    stream.on("data", (chunk: Buffer) => {
      const isTooLarge = blocks.length + chunk.length > maxBytes;
      if (!isTooLarge && !count.isTooMany(chunk.length)) return blocks.push(chunk);
      // A stream that is destroyed with its last chunk emits `end` all the same.
      resolve(null);
      return void stream.destroy();
    });
    stream.on("end", () => resolve(blocks.take()));
    stream.on("error", () => {});
    stream.on("close", () => resolve(null));
  });
}

/** Joins small chunks of a request body into larger blocks. */
class ChunkGatherer {
  readonly #blocks = new ByteBlocks();
  readonly #count = new ChunkCount();
  readonly #push: (block: Buffer | null) => boolean;
  readonly #abandon: () => void;

  /** @param parts `abandon`: called for a request with too many chunks */
  constructor({ push, abandon }: { push: (block: Buffer | null) => boolean; abandon: () => void }) {
    this.#push = push;
    this.#abandon = abandon;
  }

  /** @param chunk null at the end @returns whether the stream's buffer has room for more */
  take(chunk: Buffer | null): boolean {
    if (chunk === null) {
      this.#passOn();
      return this.#push(null);
    }
    if (this.#count.isTooMany(chunk.length)) {
      this.#abandon();
      return false;
    }
    this.#blocks.push(chunk);
    return this.#blocks.length < BLOCK_BYTES || this.#passOn();
  }

  #passOn(): boolean {
    let hasRoom = true;
    for (const block of this.#blocks.take()) hasRoom = this.#push(block);
    return hasRoom;
  }
}

export class GatheredRequest extends IncomingMessage {
  readonly #gatherer = new ChunkGatherer({
    push: (block) => super.push(block),
    abandon: () => void this.socket.destroy(),
  });

  override push(chunk: Buffer | null): boolean {
    if (chunk !== null && this.socket.destroyed) return false;
    return this.#gatherer.take(chunk);
  }
}

const wholeStreams = new WeakSet<ServerHttp2Stream>();

/** Gathers the chunks of an HTTP/2 request in blocks; Node has no option for the class of its streams. */
export function gatherChunks(stream: ServerHttp2Stream): void {
  if (stream.endAfterHeaders || stream.state.state === constants.NGHTTP2_STREAM_STATE_HALF_CLOSED_REMOTE)
    return void wholeStreams.add(stream);
  const gatherer = new ChunkGatherer({
    push: stream.push.bind(stream),
    abandon: () => stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM),
  });
  // Bytes that arrived in one packet with the header.
  const early = stream.readableLength === 0 ? null : (stream.read() as Buffer | null);
  stream.push = (chunk: Buffer | null) => {
    // A stream that the client resets ends too, but by then it is closed.
    if (chunk === null && !stream.closed) wholeStreams.add(stream);
    return gatherer.take(chunk);
  };
  if (early !== null) stream.push(early);
}

/** Whether the client has sent its whole request, whether or not it was read. */
export const hasArrived = (stream: ServerHttp2Stream): boolean => wholeStreams.has(stream);

/** Reads and drops the rest of a request after its response, bounded; Node would drop a body of any size. */
export function dropRest(request: IncomingMessage, response: ServerResponse): void {
  response.prependListener("finish", () => {
    if (!request.complete) request.resume();
  });
}

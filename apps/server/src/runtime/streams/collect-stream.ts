/**
 * Limits into how many chunks a stream may be cut. Each chunk costs about a microsecond of the event loop, so three
 * million chunks of one byte, 18 MB, would keep everybody else waiting for seconds.
 *
 * Programs send chunks of hundreds of bytes or more; somebody who types into a connection sends a few single bytes a
 * second.
 */
import type { Readable } from "node:stream";
import { ByteBlocks } from "./byte-blocks.ts";

/** Chunks that a stream may have however small they are. */
const FREE_CHUNKS = 1024;
/** Bytes of the stream for each further chunk. */
const BYTES_PER_CHUNK = 64;

export class ChunkCount {
  #chunks = 0;
  #bytes = 0;

  /** Counts a chunk. @returns whether the stream has too many chunks for its bytes */
  isTooMany(bytes: number): boolean {
    this.#chunks += 1;
    this.#bytes += bytes;
    return this.#chunks > FREE_CHUNKS + this.#bytes / BYTES_PER_CHUNK;
  }
}

/**
 * Reads a stream of bytes, such as the response of a server, to its end. It is read without a pause from the moment of
 * the call, because a paused stream buffers an object for each chunk.
 * @returns the bytes in order; `null` if the stream did not arrive whole, has more bytes than the maximum or too many
 * chunks, and was destroyed
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

/**
 * Limits into how many chunks a stream may be cut. Each chunk costs about a microsecond of the event loop, so three
 * million chunks of one byte, 18 MB, would keep everybody else waiting for seconds.
 *
 * Programs send chunks of hundreds of bytes or more; somebody who types into a connection sends a few single bytes a
 * second.
 */

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

/**
 * A request whose body is gathered into blocks before the stream buffers it. Node's HTTP parser makes an object for each
 * chunk, and a stream that nobody reads yet (no such route, session being checked) buffers 64 KiB, which take 26 MB in
 * chunks of one byte. A body in too many chunks for its bytes closes the connection, whether anybody reads it or not.
 *
 * Node creates the requests of a server from this class if it is the server's option `IncomingMessage`.
 */
import { IncomingMessage, type ServerResponse } from "node:http";
import { BLOCK_BYTES, ByteBlocks } from "./streams/byte-blocks.ts";
import { ChunkCount } from "./streams/collect-stream.ts";

export class GatheredRequest extends IncomingMessage {
  readonly #blocks = new ByteBlocks();
  readonly #count = new ChunkCount();

  /** Called by the parser with each chunk of the body, and with `null` at its end. */
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

/**
 * Reads what arrives of a request after its response and drops it. Node would drop it too, but uncounted if nobody has
 * read the body.
 */
export function dropRest(request: IncomingMessage, response: ServerResponse): void {
  response.prependListener("finish", () => {
    if (!request.complete) request.resume();
  });
}

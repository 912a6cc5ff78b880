import type { Readable } from "node:stream";
import { ByteBlocks } from "./byte-blocks.ts";
import { ChunkCount } from "./chunk-count.ts";

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

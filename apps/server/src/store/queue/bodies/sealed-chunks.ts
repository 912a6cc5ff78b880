/**
 * A message body as sealed chunks of 256 KiB, each bound to its message, its place and whether it is the last: chunks can't be
 * swapped, dropped or cut off unseen. Where they lie is the business of the two adapters.
 */

import { SEAL_OVERHEAD_BYTES } from "../../sealing/seal.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";

export const CHUNK_BYTES = 256 * 1024;
export const SEALED_CHUNK_BYTES = CHUNK_BYTES + SEAL_OVERHEAD_BYTES;

export interface SealedChunk {
  index: number;
  isLast: boolean;
  sealed: Buffer;
}

/** Seals one chunk per step, so that whoever stores them between the steps never blocks the process for long. */
export function* sealChunks(keys: ServerKeys, messageId: string, parts: readonly Buffer[]): Generator<SealedChunk> {
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  const count = Math.max(1, Math.ceil(total / CHUNK_BYTES));
  const read = reader(parts);
  for (let index = 0; index < count; index += 1) {
    const isLast = index === count - 1;
    yield { index, isLast, sealed: keys.sealBytes(chunkContext(messageId, index, isLast), read(CHUNK_BYTES)) };
  }
}

/** @throws SealError when the chunk is not this one of this message */
export function openChunk(keys: ServerKeys, messageId: string, chunk: SealedChunk): Buffer {
  return keys.openBytes(chunkContext(messageId, chunk.index, chunk.isLast), chunk.sealed);
}

const chunkContext = (messageId: string, index: number, isLast: boolean) =>
  `message_chunk:sealed:${messageId}:${index}:${isLast ? "last" : "more"}`;

/** Takes the next `length` bytes (fewer at the end) off a row of buffers; copies only where a chunk spans two of them. */
function reader(parts: readonly Buffer[]): (length: number) => Buffer {
  let part = 0;
  let offset = 0;
  return (length) => {
    const taken: Buffer[] = [];
    let missing = length;
    while (missing > 0 && part < parts.length) {
      const piece = (parts[part] as Buffer).subarray(offset, offset + missing);
      if (piece.length > 0) taken.push(piece);
      missing -= piece.length;
      offset += piece.length;
      if (offset < (parts[part] as Buffer).length) continue;
      part += 1;
      offset = 0;
    }
    return taken.length === 1 ? (taken[0] as Buffer) : Buffer.concat(taken);
  };
}

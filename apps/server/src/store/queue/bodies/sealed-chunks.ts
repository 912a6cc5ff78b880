import { SEAL_OVERHEAD_BYTES, SealError } from "../../sealing/seal.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";
import type { SpoolFile } from "./spool-files.ts";

export const SPOOL_CHUNK_BYTES = 256 * 1024;
export const SEALED_CHUNK_BYTES = SPOOL_CHUNK_BYTES + SEAL_OVERHEAD_BYTES;

export interface SealedChunk {
  index: number;
  isLast: boolean;
  sealed: Buffer;
}

/** Seals one chunk per iteration, so that storing them does not block the event loop for long. */
export function* sealChunks(keys: ServerKeys, messageId: string, parts: readonly Buffer[]): Generator<SealedChunk> {
  for (const { index, isLast, plain } of plainChunks(parts))
    yield { index, isLast, sealed: keys.sealBytes(chunkContext(messageId, index, isLast), plain) };
}

/** As `sealChunks`, from a stream: holds one chunk back, until it is known whether it is the last. */
export async function* sealStream(
  keys: ServerKeys,
  messageId: string,
  stream: AsyncIterable<Uint8Array>,
): AsyncGenerator<SealedChunk> {
  let index = 0;
  let held: Buffer = Buffer.allocUnsafeSlow(SPOOL_CHUNK_BYTES);
  let filled = 0;
  const seal = (isLast: boolean): SealedChunk => {
    const sealed = keys.sealBytes(chunkContext(messageId, index, isLast), held.subarray(0, filled));
    return { index, isLast, sealed };
  };
  for await (const bytes of stream)
    for (let at = 0; at < bytes.length; ) {
      if (filled === SPOOL_CHUNK_BYTES) {
        yield seal(false);
        [index, filled] = [index + 1, 0];
      }
      const taken = bytes.subarray(at, at + SPOOL_CHUNK_BYTES - filled);
      held.set(taken, filled);
      filled += taken.length;
      at += taken.length;
    }
  yield seal(true);
  held = Buffer.alloc(0);
}

function* plainChunks(parts: readonly Buffer[]): Generator<{ index: number; isLast: boolean; plain: Buffer }> {
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  const count = Math.max(1, Math.ceil(total / SPOOL_CHUNK_BYTES));
  const read = reader(parts);
  for (let index = 0; index < count; index += 1)
    yield { index, isLast: index === count - 1, plain: read(SPOOL_CHUNK_BYTES) };
}

/** @throws SealError unless the chunk was sealed with this index for this message */
export function openChunk(keys: ServerKeys, messageId: string, chunk: SealedChunk): Buffer {
  return keys.openBytes(chunkContext(messageId, chunk.index, chunk.isLast), chunk.sealed);
}

const chunkContext = (messageId: string, index: number, isLast: boolean) =>
  `message_chunk:sealed:${messageId}:${index}:${isLast ? "last" : "more"}`;

function reader(parts: readonly Buffer[]): (length: number) => Buffer {
  let part = 0;
  let offset = 0;
  return (length) => {
    const taken: Buffer[] = [];
    let missing = length;
    while (missing > 0 && part < parts.length) {
      const chunk = (parts[part] as Buffer).subarray(offset, offset + missing);
      if (chunk.length > 0) taken.push(chunk);
      missing -= chunk.length;
      offset += chunk.length;
      if (offset < (parts[part] as Buffer).length) continue;
      part += 1;
      offset = 0;
    }
    return taken.length === 1 ? (taken[0] as Buffer) : Buffer.concat(taken);
  };
}

/** Reads the first chunk of a sealed file. @param name the file was sealed with @returns `null` for a damaged file */
export async function readFirstChunk(keys: ServerKeys, name: string, file: SpoolFile): Promise<Buffer | null> {
  const isLast = (await file.sizeBytes()) <= SEALED_CHUNK_BYTES;
  try {
    return openChunk(keys, name, { index: 0, isLast, sealed: await file.read(SEALED_CHUNK_BYTES) });
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

/** @returns `null` for a damaged file, since a retry would not help */
export async function readChunks(keys: ServerKeys, name: string, file: SpoolFile): Promise<Buffer | null> {
  const sealedBytes = await file.sizeBytes();
  const count = Math.max(1, Math.ceil(sealedBytes / SEALED_CHUNK_BYTES));
  const bytes = Buffer.allocUnsafeSlow(Math.max(0, sealedBytes - count * SEAL_OVERHEAD_BYTES));
  try {
    for (let index = 0; index < count; index += 1) {
      const sealed = await file.read(SEALED_CHUNK_BYTES);
      openChunk(keys, name, { index, isLast: index === count - 1, sealed }).copy(bytes, index * SPOOL_CHUNK_BYTES);
    }
    return bytes;
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

/** Reads a body chunk by chunk. @throws SealError for a damaged file */
export async function* streamChunks(keys: ServerKeys, name: string, file: SpoolFile): AsyncGenerator<Buffer> {
  const count = Math.max(1, Math.ceil((await file.sizeBytes()) / SEALED_CHUNK_BYTES));
  for (let index = 0; index < count; index += 1) {
    const sealed = await file.read(SEALED_CHUNK_BYTES);
    yield openChunk(keys, name, { index, isLast: index === count - 1, sealed });
  }
}

/** @returns the body; `null` if one of its chunks is damaged */
export function openChunks(keys: ServerKeys, name: string, sealed: Buffer): Buffer | null {
  const count = Math.max(1, Math.ceil(sealed.length / SEALED_CHUNK_BYTES));
  try {
    const chunks = Array.from({ length: count }, (_, index) => {
      const chunk = sealed.subarray(index * SEALED_CHUNK_BYTES, (index + 1) * SEALED_CHUNK_BYTES);
      return openChunk(keys, name, { index, isLast: index === count - 1, sealed: chunk });
    });
    return count === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

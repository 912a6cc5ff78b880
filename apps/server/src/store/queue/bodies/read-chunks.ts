/** Reads sealed chunks from a file or from memory and returns the plain bytes. */
import { SEAL_OVERHEAD_BYTES, SealError } from "../../sealing/seal.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";
import { CHUNK_BYTES, openChunk, SEALED_CHUNK_BYTES } from "./sealed-chunks.ts";
import type { SpoolFile } from "./spool-files.ts";

/**
 * @param name name that the chunks were sealed with: the message's id, or that of an in-flight message with a prefix
 * @returns bytes of the first chunk, at most 256 KiB; `null` for a damaged file
 */
export async function readFirstChunk(keys: ServerKeys, name: string, file: SpoolFile): Promise<Buffer | null> {
  const isLast = (await file.sizeBytes()) <= SEALED_CHUNK_BYTES;
  try {
    return openChunk(keys, name, { index: 0, isLast, sealed: await file.read(SEALED_CHUNK_BYTES) });
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

/**
 * @param name name that the chunks were sealed with: the message's id, or that of an in-flight message with a prefix
 * @returns bytes of the whole file; `null` if it is damaged, since a retry would not help
 */
export async function readChunks(keys: ServerKeys, name: string, file: SpoolFile): Promise<Buffer | null> {
  const sealedBytes = await file.sizeBytes();
  const count = Math.max(1, Math.ceil(sealedBytes / SEALED_CHUNK_BYTES));
  const bytes = Buffer.allocUnsafeSlow(Math.max(0, sealedBytes - count * SEAL_OVERHEAD_BYTES));
  try {
    for (let index = 0; index < count; index += 1) {
      const sealed = await file.read(SEALED_CHUNK_BYTES);
      openChunk(keys, name, { index, isLast: index === count - 1, sealed }).copy(bytes, index * CHUNK_BYTES);
    }
    return bytes;
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

/** Opens consecutive sealed chunks in memory. @returns the plain bytes; `null` if a chunk is damaged */
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

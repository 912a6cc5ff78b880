/**
 * Bodies beside the embedded database: `spool/<first two of the id>/<id>`, sealed chunks one after another. A body counts as
 * stored when its file is written under another name, fsynced, renamed, and the directory is fsynced too.
 */
import { join } from "node:path";
import { AppError } from "../core/app-error.ts";
import type { MessageBodies } from "../core/message/message.ts";
import { SEAL_OVERHEAD_BYTES, SealError } from "./seal.ts";
import { CHUNK_BYTES, openChunk, SEALED_CHUNK_BYTES, sealChunks } from "./sealed-chunks.ts";
import type { ServerKeys } from "./server-keys.ts";
import { sharedCalls } from "./shared-calls.ts";
import type { SpoolFile, SpoolFiles } from "./spool-files.ts";

const MESSAGE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const UNFINISHED = ".part";

export function messageBodiesInFiles(options: {
  directory: string;
  keys: ServerKeys;
  files: SpoolFiles;
  now: () => Date;
}): MessageBodies {
  const { directory, keys, files, now } = options;
  const syncShared = sharedCalls((path: string) => files.syncDirectory(path));
  const shardOf = (messageId: string) => join(directory, messageId.slice(0, 2));
  const pathOf = (messageId: string) => {
    if (!MESSAGE_ID.test(messageId)) throw new Error("a message id is a lower-case uuid");
    return join(shardOf(messageId), messageId);
  };
  const madeShards = new Set<string>();
  const makeShard = async (shard: string) => {
    if (madeShards.has(shard)) return;
    await files.makeDirectory(shard);
    await syncShared(directory);
    madeShards.add(shard);
  };
  return {
    put: async (messageId, parts) => {
      const path = pathOf(messageId);
      try {
        await makeShard(shardOf(messageId));
        await writeSynced(files, path + UNFINISHED, sealChunks(keys, messageId, parts));
        await files.rename(path + UNFINISHED, path);
        await syncShared(shardOf(messageId));
      } catch (cause) {
        for (const left of [path + UNFINISHED, path]) await files.remove(left).catch(() => {});
        throw new AppError("spool_failed", {}, cause);
      }
    },
    get: async (messageId) => {
      const file = await files.openToRead(pathOf(messageId));
      if (file === null) return null;
      try {
        return await readBody(keys, messageId, file);
      } finally {
        await file.close();
      }
    },
    delete: (messageId) => files.remove(pathOf(messageId)),
    sweep: async (isKnown, olderThanMs) => {
      const before = now().getTime() - olderThanMs;
      let removed = 0;
      for (const shard of await files.list(directory))
        for (const name of await files.list(join(directory, shard))) {
          const path = join(directory, shard, name);
          const modifiedAt = await files.modifiedAt(path);
          if (modifiedAt === null || modifiedAt.getTime() > before) continue;
          if (MESSAGE_ID.test(name) && (await isKnown(name))) continue;
          await files.remove(path);
          removed += 1;
        }
      return removed;
    },
  };
}

async function writeSynced(files: SpoolFiles, path: string, chunks: Iterable<{ sealed: Buffer }>): Promise<void> {
  const file = await files.create(path);
  try {
    for (const chunk of chunks) await file.write(chunk.sealed);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A damaged body reads as none: trying again would not mend it. */
async function readBody(keys: ServerKeys, messageId: string, file: SpoolFile): Promise<Buffer | null> {
  const sealedBytes = await file.sizeBytes();
  const count = Math.max(1, Math.ceil(sealedBytes / SEALED_CHUNK_BYTES));
  const body = Buffer.allocUnsafeSlow(Math.max(0, sealedBytes - count * SEAL_OVERHEAD_BYTES));
  try {
    for (let index = 0; index < count; index += 1) {
      const sealed = await file.read(SEALED_CHUNK_BYTES);
      openChunk(keys, messageId, { index, isLast: index === count - 1, sealed }).copy(body, index * CHUNK_BYTES);
    }
    return body;
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

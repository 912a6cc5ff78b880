/**
 * Bodies beside the embedded database: `spool/<first two characters of the id>/<id>`, a sequence of sealed chunks. A
 * body is stored once its file has been written under a temporary name, fsynced and renamed, and its directory fsynced.
 */
import { join } from "node:path";
import { AppError } from "../../../core/app-error.ts";
import type { MessageBodies } from "../../../core/message/message.ts";
import { sharedCalls } from "../../concurrency/shared-calls.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";
import { putFile } from "./put-file.ts";
import { readChunks, readFirstChunk } from "./read-chunks.ts";
import { sealChunks } from "./sealed-chunks.ts";
import type { SpoolFile, SpoolFiles } from "./spool-files.ts";

const MESSAGE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface FileBodies extends MessageBodies {
  /** Stores a body that is already sealed as consecutive chunks. @throws AppError `spool_failed` */
  putSealed(messageId: string, sealed: Buffer): Promise<void>;
}

/** Name of a directory of bodies: the first two characters of their message ids. */
const SHARD = /^[0-9a-f]{2}$/;

export function messageBodiesInFiles(options: {
  directory: string;
  keys: ServerKeys;
  files: SpoolFiles;
  now: () => Date;
}): FileBodies {
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
  const store = async (messageId: string, chunks: Iterable<{ sealed: Buffer }>) => {
    const place = { directory: shardOf(messageId), path: pathOf(messageId), syncDirectory: syncShared };
    await makeShard(place.directory).catch((cause) => {
      throw new AppError("spool_failed", {}, cause);
    });
    await putFile(files, place, chunks);
  };

  return {
    put: (messageId, parts) => store(messageId, sealChunks(keys, messageId, parts)),
    putSealed: (messageId, sealed) => store(messageId, [{ sealed }]),
    get: (messageId) => readFile(files, pathOf(messageId), (file) => readChunks(keys, messageId, file)),
    getStart: (messageId) => readFile(files, pathOf(messageId), (file) => readFirstChunk(keys, messageId, file)),
    delete: (messageId) => files.remove(pathOf(messageId)),
    sweep: async (isKnown, olderThanMs) => {
      const before = now().getTime() - olderThanMs;
      let removed = 0;
      for (const shard of (await files.list(directory)).filter((name) => SHARD.test(name)))
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

/** Opens a file of the spool, reads it by `read` and closes it. @returns `null` when the file does not exist */
async function readFile(
  files: SpoolFiles,
  path: string,
  read: (file: SpoolFile) => Promise<Buffer | null>,
): Promise<Buffer | null> {
  const file = await files.openToRead(path);
  if (file === null) return null;
  try {
    return await read(file);
  } finally {
    await file.close();
  }
}

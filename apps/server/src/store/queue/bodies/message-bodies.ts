/**
 * Bodies as sealed chunks. Beside the embedded database: `spool/<first two characters of the id>/<id>`, stored once the
 * file and its directory are fsynced. On PostgreSQL, and in memory: rows, one transaction per body.
 */
import { join } from "node:path";
import { AppError } from "../../../core/app-error.ts";
import type { MessageBodies } from "../../../core/message/message.ts";
import type { Clock, Logger } from "../../../runtime/ports.ts";
import { sharedCalls } from "../../concurrency/shared-calls.ts";
import type { Database, MessageChunkTable } from "../../database.ts";
import { SealError } from "../../sealing/seal.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";
import { type InFlightFiles, inFlightFiles } from "../in-flight.ts";
import { moveFormerJournal } from "./former-journal.ts";
import { openChunk, readChunks, readFirstChunk, sealChunks, sealStream, streamChunks } from "./sealed-chunks.ts";
import { putFile, type SpoolFile, type SpoolFiles } from "./spool-files.ts";

const MESSAGE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface FileBodies extends MessageBodies {
  /** Stores a body that is sealed already. @throws AppError `spool_failed` */
  putSealed(messageId: string, sealed: Buffer): Promise<void>;
}

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
  const store = async (messageId: string, chunks: Parameters<typeof putFile>[2]) => {
    const place = { directory: shardOf(messageId), path: pathOf(messageId), syncDirectory: syncShared };
    await makeShard(place.directory).catch((cause) => {
      throw new AppError("spool_failed", {}, cause);
    });
    await putFile(files, place, chunks);
  };

  return {
    put: (messageId, parts) => store(messageId, sealChunks(keys, messageId, parts)),
    putStream: (messageId, stream) => store(messageId, sealStream(keys, messageId, stream)),
    read: async function* (messageId) {
      const file = await files.openToRead(pathOf(messageId));
      if (file === null) throw new AppError("spool_failed");
      try {
        yield* streamChunks(keys, messageId, file);
      } finally {
        await file.close();
      }
    },
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

export interface SpoolOptions {
  dataDir: string;
  keys: ServerKeys;
  clock: Clock;
  files: SpoolFiles;
  logger: Logger | undefined;
}

export async function openSpool({
  dataDir,
  keys,
  clock,
  files,
  logger,
}: SpoolOptions): Promise<{ bodies: FileBodies; inFlight: InFlightFiles }> {
  const directory = join(dataDir, "spool");
  const bodies = messageBodiesInFiles({ directory, keys, files, now: () => clock.now() });
  const inFlight = inFlightFiles({ directory: join(dataDir, "underway"), keys, files });
  await moveFormerJournal({ directory, keys, bodies, inFlight, logger });
  return { bodies, inFlight };
}

const READ_AHEAD = 8;

export function messageBodiesInRows(options: { db: Database; keys: ServerKeys; now: () => Date }): MessageBodies {
  const { db, keys, now } = options;
  return {
    put: async (messageId, parts) => {
      try {
        await db.transaction().execute(async (trx) => {
          for (const { index, isLast, sealed } of sealChunks(keys, messageId, parts)) {
            const row = { message_id: messageId, chunk_index: index, is_last: isLast, created_at: now(), sealed };
            await trx.insertInto("message_chunk").values(row).execute();
          }
        });
      } catch (cause) {
        throw new AppError("spool_failed", {}, cause);
      }
    },
    // Each chunk is a commit of its own: a transaction would last as long as the client sends.
    putStream: async (messageId, stream) => {
      try {
        for await (const { index, isLast, sealed } of sealStream(keys, messageId, stream)) {
          const row = { message_id: messageId, chunk_index: index, is_last: isLast, created_at: now(), sealed };
          await db.insertInto("message_chunk").values(row).execute();
        }
      } catch (cause) {
        await db
          .deleteFrom("message_chunk")
          .where("message_id", "=", messageId)
          .execute()
          .catch(() => {});
        throw new AppError("spool_failed", {}, cause);
      }
    },
    read: (messageId) => streamBody(db, keys, messageId),
    get: (messageId) => orNullIfDamaged(() => readBody(db, keys, messageId)),
    getStart: (messageId) => orNullIfDamaged(() => readStart(db, keys, messageId)),
    delete: async (messageId) => {
      await db.deleteFrom("message_chunk").where("message_id", "=", messageId).execute();
    },
    sweep: async (isKnown, olderThanMs) => {
      const rows = await db
        .selectFrom("message_chunk")
        .select("message_id")
        .where("chunk_index", "=", 0)
        .where("created_at", "<=", new Date(now().getTime() - olderThanMs))
        .execute();
      let removed = 0;
      for (const { message_id } of rows) {
        if (await isKnown(message_id)) continue;
        await db.deleteFrom("message_chunk").where("message_id", "=", message_id).execute();
        removed += 1;
      }
      return removed;
    },
  };
}

/** Treats a damaged body as a missing one (`null`), since a retry would not help. */
async function orNullIfDamaged(read: () => Promise<Buffer | null>): Promise<Buffer | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

async function readStart(db: Database, keys: ServerKeys, messageId: string): Promise<Buffer | null> {
  const query = db.selectFrom("message_chunk").selectAll().where("message_id", "=", messageId);
  const row = await query.where("chunk_index", "=", 0).executeTakeFirst();
  return row === undefined ? null : openChunk(keys, messageId, { index: 0, isLast: row.is_last, sealed: row.sealed });
}

async function readBody(db: Database, keys: ServerKeys, messageId: string): Promise<Buffer | null> {
  const plain: Buffer[] = [];
  for (;;) {
    const rows = await readRows(db, messageId, plain.length);
    if (rows.length === 0) return null;
    for (const row of rows) {
      // A chunk is opened with the index it must have, not the stored one, so that a missing row is detected.
      plain.push(openChunk(keys, messageId, { index: plain.length, isLast: row.is_last, sealed: row.sealed }));
      if (row.is_last) return Buffer.concat(plain);
    }
  }
}

async function* streamBody(db: Database, keys: ServerKeys, messageId: string): AsyncGenerator<Buffer> {
  for (let index = 0; ; ) {
    const rows = await readRows(db, messageId, index);
    if (rows.length === 0) throw new AppError("spool_failed");
    for (const row of rows) {
      yield openChunk(keys, messageId, { index, isLast: row.is_last, sealed: row.sealed });
      if (row.is_last) return;
      index += 1;
    }
  }
}

function readRows(db: Database, messageId: string, from: number): Promise<MessageChunkTable[]> {
  return db
    .selectFrom("message_chunk")
    .selectAll()
    .where("message_id", "=", messageId)
    .where("chunk_index", ">=", from)
    .orderBy("chunk_index")
    .limit(READ_AHEAD)
    .execute();
}

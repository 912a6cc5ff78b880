/**
 * Bodies on PostgreSQL: sealed chunks as rows, one transaction per body. Also used for the embedded database in memory.
 */
import { AppError } from "../../../core/app-error.ts";
import type { MessageBodies } from "../../../core/message/message.ts";
import type { Database, MessageChunkTable } from "../../database.ts";
import { SealError } from "../../sealing/seal.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";
import { openChunk, sealChunks } from "./sealed-chunks.ts";

/** Number of chunks that one query reads, 2 MiB in total. */
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

/** Returns `null` for a damaged body as for a missing one, since a retry would not help. */
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
      // Each chunk is opened with the index that it must have, not the stored one, so that a missing row is detected.
      plain.push(openChunk(keys, messageId, { index: plain.length, isLast: row.is_last, sealed: row.sealed }));
      if (row.is_last) return Buffer.concat(plain);
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

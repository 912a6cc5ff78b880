/** Message bodies in files or rows: both have the same sealed chunks, so nothing is sealed again. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { sql } from "kysely";
import type { Database } from "../database.ts";
import { messageBodiesInFiles } from "../queue/bodies/message-bodies.ts";
import { SEALED_CHUNK_BYTES } from "../queue/bodies/sealed-chunks.ts";
import { nodeSpoolFiles } from "../queue/bodies/spool-files.ts";
import type { ServerKeys } from "../sealing/server-keys.ts";

export interface MovedBody {
  messageId: string;
  createdAt: Date;
  chunks: AsyncIterable<Buffer>;
}

export interface MovedBodies {
  has(messageId: string): Promise<boolean>;
  chunks(messageId: string): AsyncIterable<Buffer>;
  /** Stores bodies in one commit, or each in a synced file. */
  putAll(bodies: readonly MovedBody[]): Promise<void>;
}

export function bodiesInFiles(dataDir: string, keys: ServerKeys): MovedBodies {
  const directory = join(dataDir, "spool");
  const bodies = messageBodiesInFiles({ directory, keys, files: nodeSpoolFiles, now: () => new Date() });
  const open = (messageId: string) => nodeSpoolFiles.openToRead(join(directory, messageId.slice(0, 2), messageId));
  return {
    has: async (messageId) => {
      const file = await open(messageId);
      await file?.close();
      return file !== null;
    },
    chunks: async function* (messageId) {
      const file = await open(messageId);
      if (file === null) return;
      try {
        for (let index = 0; ; index += 1) {
          const chunk = await file.read(SEALED_CHUNK_BYTES);
          // An empty file has one chunk, which can't be opened, so its message stays a damaged one.
          if (chunk.length > 0 || index === 0) yield chunk;
          if (chunk.length < SEALED_CHUNK_BYTES) return;
        }
      } finally {
        await file.close();
      }
    },
    putAll: async (entries) => {
      for (const { messageId, chunks } of entries) await bodies.putSealed(messageId, await joined(chunks));
    },
  };
}

async function joined(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

const READ_AHEAD = 8;

export function bodiesInRows(db: Database): MovedBodies {
  return {
    has: async (messageId) => {
      const { rows } = await sql`SELECT FROM message_chunk WHERE message_id = ${messageId} LIMIT 1`.execute(db);
      return rows.length > 0;
    },
    chunks: async function* (messageId) {
      for (let from = 0; ; from += READ_AHEAD) {
        const rows = await db
          .selectFrom("message_chunk")
          .select("sealed")
          .where("message_id", "=", messageId)
          .where("chunk_index", ">=", from)
          .where("chunk_index", "<", from + READ_AHEAD)
          .orderBy("chunk_index")
          .execute();
        for (const { sealed } of rows) yield sealed;
        if (rows.length < READ_AHEAD) return;
      }
    },
    putAll: (entries) =>
      db.transaction().execute(async (trx) => {
        for (const { messageId: message_id, createdAt: created_at, chunks } of entries)
          for await (const { chunk_index, is_last, sealed } of numbered(chunks))
            await trx
              .insertInto("message_chunk")
              .values({ message_id, chunk_index, is_last, created_at, sealed })
              .execute();
      }),
  };
}

async function* numbered(chunks: AsyncIterable<Buffer>) {
  let previous: Buffer | null = null;
  let index = 0;
  for await (const chunk of chunks) {
    if (previous !== null) yield { chunk_index: index++, is_last: false, sealed: previous };
    previous = chunk;
  }
  if (previous !== null) yield { chunk_index: index, is_last: true, sealed: previous };
}

export interface BodyPair {
  db: Database;
  from: MovedBodies;
  to: MovedBodies;
}

const PAGE_MESSAGES = 100;

/** Copies bodies that the target lacks. @returns the number of messages */
export async function copyBodies(pair: BodyPair, report: (messages: number) => void): Promise<number> {
  let seen = 0;
  for await (const { table, page } of bodyOwnersIn(pair.db)) {
    const missing: MovedBody[] = [];
    for (const { id, createdAt } of page) {
      if (!(await pair.to.has(id)) && (await pair.from.has(id)))
        missing.push({ messageId: id, createdAt, chunks: pair.from.chunks(id) });
    }
    await pair.to.putAll(missing);
    if (table === "message") seen += page.length;
    report(seen);
  }
  return seen;
}

/** @returns the id of the first body that differs */
export async function compareBodies({ db, from, to }: BodyPair): Promise<string | null> {
  for await (const { page } of bodyOwnersIn(db))
    for (const { id } of page) if ((await digestOf(from.chunks(id))) !== (await digestOf(to.chunks(id)))) return id;
  return null;
}

async function digestOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash("sha256");
  let count = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    count += 1;
  }
  return `${count} ${hash.digest("hex")}`;
}

interface BodyOwner {
  id: string;
  createdAt: Date;
}

/** Messages, then files uploaded for messages that are being composed: each has a body under its id. */
async function* bodyOwnersIn(
  db: Database,
): AsyncGenerator<{ table: "message" | "email_attachment"; page: BodyOwner[] }> {
  for (const table of ["message", "email_attachment"] as const)
    for (let after: string | null = null; ; ) {
      let query = db.selectFrom(table).select(["id", "created_at as createdAt"]).orderBy("id").limit(PAGE_MESSAGES);
      if (after !== null) query = query.where("id", ">", after);
      const page: BodyOwner[] = await query.execute();
      const last = page.at(-1);
      if (last === undefined) break;
      yield { table, page };
      after = last.id;
    }
}

/**
 * Gets what was deleted out of the files of the embedded database. DELETE only marks a row, and VACUUM gives its place free
 * without writing over it, so the bytes would stay until something else happens to need the place. Three things hold them:
 * - tables, their indexes and TOAST: VACUUM FULL writes what is left into new files and removes the old ones;
 * - pg_statistic, which samples values of every column: its rows about a table are made anew with it;
 * - the write-ahead log: a new segment is begun, and a checkpoint removes the earlier ones (`wal_recycle` is off).
 */
import { sql } from "kysely";
import type { Logger } from "../../core/ports.ts";
import type { Database } from "../database.ts";
import { type TableState, tablesLeft, tablesToRewrite } from "./rewrite-plan.ts";

/** Every table with something sealed or hashed in it, and the keys themselves: an old one opens what it sealed. */
export const erasedTables = [
  ...["user", "session", "alias", "released_address", "destination", "blocked_mailbox", "missing_mailbox"],
  "smtp_credential",
  ...["encryption_key", "email_job", "message", "message_chunk", "delivery", "reply_path", "one_time_token", "notice"],
  ...["rate_limit", "server_key"],
];

const LOOK_EVERY_MS = 60_000;
const TELL_EVERY_MS = 86_400_000;
/** Segments that an earlier version kept for reuse; more than a gigabyte of log never lies there. */
const SEGMENTS_MAX = 64;

export interface EmbeddedErasure {
  /**
   * Does what is due: rewrites all small tables or one large one, then ends the log. Call it every second or so.
   * @returns what it did: the names of tables, `log`
   */
  tick(now: Date): Promise<string[]>;
}

interface Rewritten {
  at: Date;
  /** Deletions and changes counted by the database since its start; `null`: it is not known what went before. */
  changes: number | null;
}

export function embeddedErasure(db: Database, { now, logger }: { now: Date; logger?: Logger }): EmbeddedErasure {
  const rewritten = new Map<string, Rewritten>(erasedTables.map((name) => [name, { at: now, changes: null }]));
  let lookAt = now;
  let tellAt = now;
  let isLogDue = false;

  async function look(tickAt: Date): Promise<TableState[]> {
    lookAt = new Date(tickAt.getTime() + LOOK_EVERY_MS);
    const figures = await readFigures(db);
    return figures.map(({ name, sizeBytes, changes }) => {
      const last = rewritten.get(name) ?? { at: now, changes: null };
      return { name, sizeBytes, hasChanged: last.changes !== changes, rewrittenAt: last.at };
    });
  }

  /** Other statements come in between two tables. */
  async function rewrite(name: string, tickAt: Date): Promise<void> {
    // What is changed after this reading is counted as new, and rewritten once more, perhaps for nothing.
    const changes = await countChanges(db, name);
    await rewriteTable(db, name);
    rewritten.set(name, { at: tickAt, changes });
    isLogDue = true;
    lookAt = tickAt;
  }

  function tellOfTablesLeft(count: number, tickAt: Date): void {
    if (count === 0 || tickAt < tellAt) return;
    tellAt = new Date(tickAt.getTime() + TELL_EVERY_MS);
    logger?.warn("store_tables_not_rewritten", { count });
  }

  return {
    async tick(tickAt) {
      if (tickAt < lookAt) return [];
      const tables = await look(tickAt);
      tellOfTablesLeft(tablesLeft(tables), tickAt);
      const names = tablesToRewrite(tables, tickAt);
      for (const name of names) await rewrite(name, tickAt);
      if (names.length > 0 || !isLogDue) return names;
      await eraseLog(db);
      isLogDue = false;
      return ["log"];
    },
  };
}

async function readFigures(db: Database): Promise<{ name: string; sizeBytes: number; changes: number }[]> {
  const { rows } = await sql<{ name: string; sizeBytes: number; changes: number }>`
    SELECT relname AS name, pg_total_relation_size(relid) AS "sizeBytes", n_tup_upd + n_tup_del AS changes
    FROM pg_stat_user_tables WHERE schemaname = 'public' AND relname IN (${sql.join(erasedTables)}) ORDER BY relname`.execute(
    db,
  );
  return rows;
}

async function countChanges(db: Database, name: string): Promise<number> {
  return (await readFigures(db)).find((table) => table.name === name)?.changes ?? 0;
}

async function rewriteTable(db: Database, name: string): Promise<void> {
  // ANALYZE leaves what it found earlier where a table has become empty.
  await sql`DELETE FROM pg_statistic WHERE starelid = ${`public."${name}"`}::regclass`.execute(db);
  await sql`VACUUM (FULL, ANALYZE) ${sql.table(name)}`.execute(db);
}

async function eraseLog(db: Database): Promise<void> {
  await sql`VACUUM FULL pg_statistic`.execute(db);
  // Each segment that was kept for reuse becomes the present one in its turn, and is removed with the others.
  for (let count = 0; count < SEGMENTS_MAX; count += 1) {
    const isLast = (await countSegmentsAhead(db)) === 0;
    await sql`SELECT pg_logical_emit_message(false, 'erasure', '')`.execute(db);
    await sql`SELECT pg_switch_wal()`.execute(db);
    if (isLast) break;
  }
  await sql`CHECKPOINT`.execute(db);
}

async function countSegmentsAhead(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM pg_ls_waldir()
    WHERE name ~ '^[0-9A-F]{24}$' AND name > pg_walfile_name(pg_current_wal_insert_lsn())`.execute(db);
  return rows[0]?.count ?? 0;
}

/**
 * Removes deleted data from the files of the embedded database. DELETE only marks a row, and VACUUM frees its space
 * without overwriting it, so the bytes would stay until the space happens to be reused. Three places hold them:
 * - tables, their indexes and TOAST: VACUUM FULL writes the remaining rows into new files and removes the old ones;
 * - pg_statistic, which holds sample values of every column: the table's rows in it are rebuilt as well;
 * - the write-ahead log: a new segment is started, and a checkpoint removes the earlier ones (`wal_recycle` is off).
 */
import { sql } from "kysely";
import type { Logger } from "../../runtime/ports.ts";
import type { Database } from "../database.ts";

/**
 * Tables with sealed or hashed values, and the table of the keys, because a deleted key could still open what it
 * sealed.
 */
export const erasedTables = [
  "user",
  "session",
  "alias",
  "alias_import",
  "alias_import_batch",
  "api_key",
  "released_address",
  "sent_answer",
  "destination",
  "blocked_mailbox",
  "mailbox",
  "missing_mailbox",
  "smtp_credential",
  "encryption_key",
  "label",
  "email_job",
  "message",
  "message_chunk",
  "delivery",
  "reply_path",
  "bounce_sender",
  "one_time_token",
  "notice",
  "checklist",
  "rate_limit",
  "server_key",
];

const CHECK_EVERY_MS = 60_000;
const WARN_EVERY_MS = 86_400_000;
/**
 * Maximum log segments (16 MiB each) to cycle through, for those that an earlier version kept for reuse. The log never
 * exceeds 1 GiB.
 */
const SEGMENTS_MAX = 64;

export interface EmbeddedErasure {
  /**
   * Rewrites the tables that are due: all small ones, or one large one. Once no table is due, removes the old log. Call
   * it about every second.
   * @returns the names of the rewritten tables, or `log`
   */
  tick(now: Date): Promise<string[]>;
}

interface Rewritten {
  at: Date;
  /**
   * Number of updates and deletions of the table that the database had counted before the last rewrite; `null` if this
   * process has not rewritten the table yet.
   */
  changes: number | null;
}

export function embeddedErasure(db: Database, { now, logger }: { now: Date; logger?: Logger }): EmbeddedErasure {
  const rewritten = new Map<string, Rewritten>(erasedTables.map((name) => [name, { at: now, changes: null }]));
  let checkAt = now;
  let warnAt = now;
  let isLogDue = false;

  async function readStates(tickAt: Date): Promise<TableState[]> {
    checkAt = new Date(tickAt.getTime() + CHECK_EVERY_MS);
    const figures = await readFigures(db);
    return figures.map(({ name, sizeBytes, changes }) => {
      const last = rewritten.get(name) ?? { at: now, changes: null };
      return { name, sizeBytes, hasChanged: last.changes !== changes, rewrittenAt: last.at };
    });
  }

  /** Rewrites one table. Other statements can run before the next table is rewritten. */
  async function rewrite(name: string, tickAt: Date): Promise<void> {
    // Changes are counted before the rewrite, so any made during it count as new and cause another, possibly
    // unnecessary, rewrite.
    const changes = await countChanges(db, name);
    await rewriteTable(db, name);
    rewritten.set(name, { at: tickAt, changes });
    isLogDue = true;
    checkAt = tickAt;
  }

  function warnOfTablesLeft(count: number, tickAt: Date): void {
    if (count === 0 || tickAt < warnAt) return;
    warnAt = new Date(tickAt.getTime() + WARN_EVERY_MS);
    logger?.warn("store_tables_not_rewritten", { count });
  }

  return {
    async tick(tickAt) {
      if (tickAt < checkAt) return [];
      const tables = await readStates(tickAt);
      warnOfTablesLeft(tablesLeft(tables), tickAt);
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
  // ANALYZE does not remove the old statistics of a table that has become empty, so they are deleted first.
  await sql`DELETE FROM pg_statistic WHERE starelid = ${`public."${name}"`}::regclass`.execute(db);
  await sql`VACUUM (FULL, ANALYZE) ${sql.table(name)}`.execute(db);
}

async function eraseLog(db: Database): Promise<void> {
  await sql`VACUUM FULL pg_statistic`.execute(db);
  // Each segment that was kept for reuse becomes the current one in turn; the next checkpoint then removes it with the
  // others.
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

/**
 * Decides which tables of the embedded database to rewrite now, so that deleted rows disappear from its files. Pure. A
 * rewrite blocks the event loop, since the database works on the main thread: 8 to 10 ms per MiB of the table and its
 * indexes.
 */
const MEBIBYTE = 1024 * 1024;
const HOUR_MS = 3_600_000;

/**
 * Maximum size of a small table: a rewrite takes less than a tenth of a second, so it may run once an hour at any time
 * of day.
 */
const SMALL_MAX_BYTES = 8 * MEBIBYTE;
/**
 * Maximum size of a table that is rewritten while the server runs: a rewrite takes two to three seconds, so it runs
 * once a day, at night.
 */
const LARGE_MAX_BYTES = 256 * MEBIBYTE;
const SMALL_EVERY_MS = HOUR_MS;
const LARGE_EVERY_MS = 20 * HOUR_MS;
/**
 * Time since the last rewrite after which a large table is rewritten at any time of day, for a process that does not
 * run at night.
 */
const LARGE_OVERDUE_MS = 36 * HOUR_MS;
/** First hour of the night and the hour at which it ends, in the server's local time. */
const NIGHT_HOURS = [3, 5] as const;

export interface TableState {
  name: string;
  sizeBytes: number;
  /** Whether rows were deleted or changed since the last rewrite; also true if that is unknown. */
  hasChanged: boolean;
  /** Time of the last rewrite, or the start of the process if there was none. */
  rewrittenAt: Date;
}

/** @returns names of all small tables that are due for a rewrite; if there are none, of one large table that is due */
export function tablesToRewrite(tables: readonly TableState[], now: Date): string[] {
  const due = tables.filter((table) => isDue(table, now));
  const small = due.filter(({ sizeBytes }) => sizeBytes <= SMALL_MAX_BYTES);
  return (small.length > 0 ? small : due.slice(0, 1)).map(({ name }) => name);
}

/** Number of tables that hold deleted rows and are too large to be rewritten while the server runs. */
export function tablesLeft(tables: readonly TableState[]): number {
  return tables.filter((table) => table.hasChanged && table.sizeBytes > LARGE_MAX_BYTES).length;
}

function isDue({ sizeBytes, hasChanged, rewrittenAt }: TableState, now: Date): boolean {
  if (!hasChanged || sizeBytes > LARGE_MAX_BYTES) return false;
  const ageMs = now.getTime() - rewrittenAt.getTime();
  if (sizeBytes <= SMALL_MAX_BYTES) return ageMs >= SMALL_EVERY_MS;
  return ageMs >= LARGE_OVERDUE_MS || (ageMs >= LARGE_EVERY_MS && isNight(now));
}

function isNight(now: Date): boolean {
  const hour = now.getHours();
  return hour >= NIGHT_HOURS[0] && hour < NIGHT_HOURS[1];
}

/**
 * Removes deleted data from the files of the embedded database, where DELETE and VACUUM leave the bytes:
 * - tables, indexes and TOAST: VACUUM FULL writes new files;
 * - pg_statistic, which holds sample values of every column: its rows are made anew;
 * - the write-ahead log: a checkpoint after a new segment removes the earlier ones (`wal_recycle` is off).
 */
import { sql } from "kysely";
import type { Logger } from "../../runtime/ports.ts";
import type { Database } from "../database.ts";

/** Tables with sealed or hashed values, and the keys: a deleted key could still open what it sealed. */
export const erasedTables = [
  "user",
  "session",
  "account_domain",
  "account_domain_key",
  "account_domain_certificate",
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
  "contact",
  "message",
  "message_chunk",
  "delivery",
  "reply_path",
  "bounce_sender",
  "certificate_record",
  "mail_probe",
  "provider_alias",
  "one_time_token",
  "invitation",
  "operator_act",
  "notice",
  "checklist",
  "rate_limit",
  "server_key",
];

const CHECK_EVERY_MS = 60_000;
const WARN_EVERY_MS = 86_400_000;
/** Log segments of 16 MiB to cycle through, which an earlier version kept for reuse. */
const SEGMENTS_MAX = 64;

export interface EmbeddedErasure {
  /** Rewrites all small tables that are due, or one large one; without any, the log. Call it about every second. */
  tick(now: Date): Promise<string[]>;
}

interface Rewritten {
  at: Date;
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

  async function rewrite(name: string, tickAt: Date): Promise<void> {
    // Changes are counted before the rewrite, so that those made during it cause another.
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
  // ANALYZE keeps the old statistics of a table that has become empty.
  await sql`DELETE FROM pg_statistic WHERE starelid = ${`public."${name}"`}::regclass`.execute(db);
  await sql`VACUUM (FULL, ANALYZE) ${sql.table(name)}`.execute(db);
}

async function eraseLog(db: Database): Promise<void> {
  await sql`VACUUM FULL pg_statistic`.execute(db);
  // Each segment kept for reuse becomes the current one; the next checkpoint removes it.
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

const MEBIBYTE = 1024 * 1024;
const HOUR_MS = 3_600_000;

/** Small tables are rewritten hourly: 8 to 10 ms of the event loop per MiB, so below a tenth of a second. */
const SMALL_MAX_BYTES = 8 * MEBIBYTE;
/** Larger tables take two to three seconds, once a day at night; above this size they are not rewritten. */
const LARGE_MAX_BYTES = 256 * MEBIBYTE;
const SMALL_EVERY_MS = HOUR_MS;
const LARGE_EVERY_MS = 20 * HOUR_MS;
/** Large tables are rewritten at any hour once this old, for a process that never runs at night. */
const LARGE_OVERDUE_MS = 36 * HOUR_MS;
/** Hours of the night in the server's local time. */
const NIGHT_HOURS = [3, 5] as const;

export interface TableState {
  name: string;
  sizeBytes: number;
  /** Whether rows of the table were deleted or changed since its last rewrite; true also if that is unknown. */
  hasChanged: boolean;
  rewrittenAt: Date;
}

/** Returns all small tables that are due, else one large one. */
export function tablesToRewrite(tables: readonly TableState[], now: Date): string[] {
  const due = tables.filter((table) => isDue(table, now));
  const small = due.filter(({ sizeBytes }) => sizeBytes <= SMALL_MAX_BYTES);
  return (small.length > 0 ? small : due.slice(0, 1)).map(({ name }) => name);
}

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

/** Applies numbered SQL files once, under an advisory lock. They are split at semicolons that end a line. */

import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import type { Database, InTransaction } from "./database.ts";
import { lockDirectory, openEmbedded } from "./embedded/embedded-database.ts";
import { refuseMoved } from "./move/move-mark.ts";
import { openPostgres } from "./postgres/postgres.ts";
import { StoreStartError } from "./start-error.ts";

const DIRECTORY = new URL("./migrations/", import.meta.url);
/** Key of the advisory lock; no other program may use it on the same database. */
const START_LOCK = 7_205_519;

export function underStartLock<T>(db: Database, work: (trx: InTransaction) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (trx) => {
    await sql`SELECT pg_advisory_xact_lock(${sql.lit(START_LOCK)})`.execute(trx);
    return await work(trx);
  });
}

/** Takes the start lock for as long as the connection `db` is open. @returns false while another process has it */
export async function holdStartLock(db: Database): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`SELECT pg_try_advisory_lock(${sql.lit(START_LOCK)}) AS taken`.execute(
    db,
  );
  return rows[0]?.taken === true;
}

/** Applies missing migrations, under the start lock. @returns their numbers @throws StoreStartError `newer_schema` */
export async function runMigrations(trx: InTransaction, now: Date): Promise<number[]> {
  await sql`CREATE TABLE IF NOT EXISTS schema_migration (
    number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL)`.execute(trx);
  const done = await trx.selectFrom("schema_migration").select("number").execute();
  const files = await migrationFiles();
  const newest = files.at(-1)?.number ?? 0;
  if (done.some((row) => row.number > newest))
    throw new StoreStartError(
      "newer_schema",
      "The database was changed by a newer version of this program. Start that version, or restore the backup from before the update.",
    );
  const missing = files.filter((file) => !done.some((row) => row.number === file.number));
  for (const file of missing) {
    for (const statement of await statementsOf(file.name)) await sql.raw(statement).execute(trx);
    await trx
      .insertInto("schema_migration")
      .values({ ...file, applied_at: now })
      .execute();
  }
  return missing.map((file) => file.number);
}

export interface MigrationState {
  applied: readonly { number: number; name: string; appliedAt: string }[];
  pending: readonly { number: number; name: string }[];
}

export async function migrationState(db: Database): Promise<MigrationState> {
  const { rows } = await sql<{ found: string | null }>`SELECT to_regclass('schema_migration')::text AS found`.execute(
    db,
  );
  const done =
    (rows[0]?.found ?? null) === null
      ? []
      : await db.selectFrom("schema_migration").selectAll().orderBy("number").execute();
  const applied = done.map(({ number, name, applied_at }) => ({ number, name, appliedAt: applied_at.toISOString() }));
  const pending = (await migrationFiles()).filter((file) => !done.some((row) => row.number === file.number));
  return { applied, pending };
}

export async function noMigrations(): Promise<MigrationState> {
  return { applied: [], pending: await migrationFiles() };
}

async function migrationFiles(): Promise<{ number: number; name: string }[]> {
  const names = (await readdir(DIRECTORY)).filter((name) => /^\d{4}-.*\.sql$/.test(name)).sort();
  return names.map((name) => ({ number: Number(name.slice(0, 4)), name }));
}

async function statementsOf(name: string): Promise<string[]> {
  const text = (await readFile(new URL(name, DIRECTORY), "utf8")).replace(/^--.*$/gm, "");
  return text.split(/;[ \t]*$/m).flatMap((statement) => (statement.trim() === "" ? [] : [statement]));
}

interface Place {
  databaseUrl: string | null;
  dataDir: string;
}

/** Reads the state of migrations while no server runs; creates no database. @throws StoreStartError */
export function readMigrations(place: Place): Promise<MigrationState> {
  if (place.databaseUrl === null && !existsSync(join(place.dataDir, "db"))) return noMigrations();
  return withDatabase(place, migrationState);
}

export function applyMigrations(place: Place): Promise<number[]> {
  return withDatabase(place, (db) =>
    underStartLock(db, async (trx) => {
      await refuseMoved(trx);
      return await runMigrations(trx, new Date());
    }),
  );
}

export async function withDatabase<T>({ databaseUrl, dataDir }: Place, work: (db: Database) => Promise<T>): Promise<T> {
  if (databaseUrl !== null) {
    const db = await openPostgres(databaseUrl, undefined);
    try {
      return await work(db);
    } finally {
      await db.destroy();
    }
  }
  const lock = lockDirectory(dataDir);
  try {
    const { db, close } = await openEmbedded(dataDir);
    try {
      return await work(db);
    } finally {
      await close();
    }
  } finally {
    lock.release();
  }
}

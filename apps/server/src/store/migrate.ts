/**
 * Numbered SQL files, each applied once. Any number of processes may start together: the first takes the advisory lock,
 * the others wait and find the work done. A file is cut at semicolons that end a line, since the embedded database takes
 * one statement at a time; so no statement may hold such a semicolon inside.
 */
import { readdir, readFile } from "node:fs/promises";
import { sql } from "kysely";
import type { Database, InTransaction } from "./database.ts";
import { StoreStartError } from "./start-error.ts";

const DIRECTORY = new URL("./migrations/", import.meta.url);
/** Ours by choice; any constant that no other program uses on the same database. */
const START_LOCK = 7_205_519;

/** Runs `work` in one transaction that no other starting process shares. */
export function underStartLock<T>(db: Database, work: (trx: InTransaction) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (trx) => {
    await sql`SELECT pg_advisory_xact_lock(${sql.lit(START_LOCK)})`.execute(trx);
    return await work(trx);
  });
}

/**
 * Brings the schema up to this program's. Call it under the start lock.
 * @returns numbers of the files applied now
 * @throws StoreStartError `newer_schema` when a newer program has been here
 */
export async function migrate(trx: InTransaction, now: Date): Promise<number[]> {
  await sql`CREATE TABLE IF NOT EXISTS schema_migration (
    number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL)`.execute(trx);
  const done = await trx.selectFrom("schema_migration").select("number").execute();
  const files = await migrationFiles();
  const newest = files.at(-1)?.number ?? 0;
  if (done.some((row) => row.number > newest))
    throw new StoreStartError(
      "newer_schema",
      "The database was made by a newer version of this program. Start that one.",
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
  /** Files of this program that were not applied yet, in order. */
  pending: readonly { number: number; name: string }[];
}

/** Reads only; a database that was never started has everything pending. */
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

/** Of a database that is not there yet. */
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

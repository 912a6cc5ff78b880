/**
 * Opens the database for its migrations only: no keys are needed and no upkeep runs. An embedded database must not be
 * in use by a server.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "./database.ts";
import { openEmbedded } from "./embedded/embedded-database.ts";
import { lockDirectory } from "./embedded/process-lock.ts";
import { type MigrationState, migrate, migrationState, noMigrations, underStartLock } from "./migrate.ts";
import { openPostgres } from "./postgres/postgres.ts";

interface Place {
  databaseUrl: string | null;
  dataDir: string;
}

/**
 * Reads which migrations are applied and which are pending. Changes nothing, and does not create an embedded database.
 * @throws StoreStartError
 */
export function readMigrations(place: Place): Promise<MigrationState> {
  if (place.databaseUrl === null && !existsSync(join(place.dataDir, "db"))) return noMigrations();
  return withDatabase(place, migrationState);
}

/** Applies the pending migrations. @returns numbers of the applied ones @throws StoreStartError */
export function applyMigrations(place: Place): Promise<number[]> {
  return withDatabase(place, (db) => underStartLock(db, (trx) => migrate(trx, new Date())));
}

async function withDatabase<T>({ databaseUrl, dataDir }: Place, work: (db: Database) => Promise<T>): Promise<T> {
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

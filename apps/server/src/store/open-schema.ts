/** The database opened for its schema alone: no keys are needed, nothing of the upkeep runs. No server may use an embedded one. */
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

/** Changes nothing; where no embedded database was made yet, none is made. @throws StoreStartError */
export function readMigrations(place: Place): Promise<MigrationState> {
  if (place.databaseUrl === null && !existsSync(join(place.dataDir, "db"))) return noMigrations();
  return withDatabase(place, migrationState);
}

/** @throws StoreStartError */
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

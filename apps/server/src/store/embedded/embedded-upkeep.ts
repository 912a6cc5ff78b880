/** Does what PostgreSQL's background processes do: vacuum, and checkpoints, without which the log grows. */
import { sql } from "kysely";
import type { Database } from "../database.ts";

const CHECKPOINT_BYTES = 64 * 1024 * 1024;
const CHECKPOINT_MS = 5 * 60_000;
const VACUUM_BYTES = 1024 * 1024;
/** Half of autovacuum's default limit for the age of transaction ids. */
const FREEZE_AGE = 100_000_000;

/** Tables with many inserts and deletions are vacuumed; `analyzedTables` are only sampled. */
const vacuumedTables = ["delivery", "message", "session", "rate_limit", "notice", "one_time_token", "released_address"];
const analyzedTables = ["alias", '"user"'];

export interface EmbeddedUpkeep {
  /** Runs a vacuum and a checkpoint if enough log was written or time has passed. Call it about every second. */
  tick(now: Date): Promise<{ checkpoint: boolean; vacuum: boolean }>;
}

export async function embeddedUpkeep(db: Database, now: Date): Promise<EmbeddedUpkeep> {
  // A checkpoint after opening saves the next start from replaying a killed process' log again.
  let checkpointAt = now;
  let checkpointPosition = await checkpoint(db);
  let vacuumPosition = checkpointPosition;
  return {
    tick: async (tickAt) => {
      const position = await logPosition(db);
      const written = position - checkpointPosition;
      const isOld = tickAt.getTime() - checkpointAt.getTime() >= CHECKPOINT_MS;
      if (written < CHECKPOINT_BYTES && !(isOld && written > 0)) return { checkpoint: false, vacuum: false };
      const vacuumDue = position - vacuumPosition >= VACUUM_BYTES;
      if (vacuumDue) await vacuum(db);
      checkpointPosition = await checkpoint(db);
      checkpointAt = tickAt;
      if (vacuumDue) vacuumPosition = checkpointPosition;
      return { checkpoint: true, vacuum: vacuumDue };
    },
  };
}

async function checkpoint(db: Database): Promise<number> {
  await sql`CHECKPOINT`.execute(db);
  return await logPosition(db);
}

export async function logPosition(db: Database): Promise<number> {
  const { rows } = await sql<{ position: number }>`
    SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint AS position`.execute(db);
  return rows[0]?.position ?? 0;
}

async function vacuum(db: Database): Promise<void> {
  for (const table of vacuumedTables) await sql.raw(`VACUUM (ANALYZE) ${table}`).execute(db);
  for (const table of analyzedTables) await sql.raw(`ANALYZE ${table}`).execute(db);
  const { rows } = await sql<{ age: number }>`
    SELECT age(datfrozenxid)::bigint AS age FROM pg_database WHERE datname = current_database()`.execute(db);
  if ((rows[0]?.age ?? 0) > FREEZE_AGE) await sql`VACUUM (FREEZE)`.execute(db);
}

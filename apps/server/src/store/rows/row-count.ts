/** Number of rows in a table: exact up to 100,000, the planner's estimate for a larger table. */
import { sql } from "kysely";
import type { Database } from "../database.ts";

const EXACT_UP_TO = 100_000;

export async function countRows(db: Database, table: "user" | "alias"): Promise<number> {
  const estimate = await sql<{ rows: number }>`
    SELECT reltuples::float8 AS rows FROM pg_class WHERE oid = ${`"${table}"`}::regclass`.execute(db);
  const rows = estimate.rows[0]?.rows ?? -1;
  if (rows > EXACT_UP_TO) return Math.round(rows);
  const exact = await db
    .selectFrom(table)
    .select((row) => row.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return exact.count;
}

/** Passes a list of any length as one parameter, of which a statement has 65,535 at most. */
import { type RawBuilder, sql } from "kysely";
import type { Database } from "../database.ts";

export const anyOfIds = (ids: readonly string[]): RawBuilder<string> => sql<string>`ANY(${ids}::uuid[])`;

/** Passes bytes as hex, because arrays of bytea are slow. */
export function anyOfBytes(values: readonly Buffer[]): RawBuilder<Buffer> {
  return sql<Buffer>`ANY(ARRAY(SELECT decode(value, 'hex') FROM unnest(${hexOf(values)}::text[]) AS given (value)))`;
}

export const hexOf = (values: readonly Buffer[]): string[] => values.map((value) => value.toString("hex"));

/** Matches bytes against a list passed as text, which costs less than an array. @param array made by `byteaArray` */
export const anyOfByteaText = (array: string): RawBuilder<Buffer> => sql<Buffer>`ANY(${array}::bytea[])`;

/** An array of bytea in PostgreSQL's text form, e.g. `{"\\x01","\\x02"}`. */
export const byteaArray = (values: readonly Buffer[]): string =>
  `{${values.map((value) => String.raw`"\\x${value.toString("hex")}"`).join(",")}}`;

/** Counts exactly up to 100,000 rows, else returns the planner's estimate. */

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

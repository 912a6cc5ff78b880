/**
 * Queries that are parsed and planned once per connection, known to the drivers by a mark at their start. Outside
 * transactions: if a prepared statement fails, the query is repeated without it, so it must change nothing when run
 * twice. Others that write are prepared on the embedded database only, which says whether a failed statement changed
 * nothing.
 */
import { createHash } from "node:crypto";
import { type CompiledQuery, type RawBuilder, sql } from "kysely";
import type { ChangeSignals } from "./change-signals.ts";
import type { Database } from "./database.ts";

const MARK = "/* prepared */ ";

/** @param query compiled once with parameters of the right types; it reads, or inserts what is missing */
export function preparedQuery<Row>(
  db: Database,
  query: CompiledQuery<Row>,
): (parameters: readonly unknown[]) => Promise<Row[]> {
  if (db.isTransaction) throw new Error("a prepared query can't run in a transaction");
  const marked = { ...query, sql: `${MARK}${query.sql}` };
  return async (parameters) => (await db.executeQuery<Row>({ ...marked, parameters })).rows;
}

/** Prefix of a prepared statement that writes: `sql`${preparedHere(db, signals)}UPDATE …``. Empty on PostgreSQL. */
export function preparedHere(db: Database, { isAlone }: Pick<ChangeSignals, "isAlone">): RawBuilder<unknown> {
  return sql.raw(isAlone && !db.isTransaction ? MARK : "");
}

export function isPreparedQuery(text: string): boolean {
  return text.startsWith(MARK);
}

const names = new Map<string, string>();

/** Names are equal for equal texts only, so that processes behind a pooler never mix up statements. */
export function statementName(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `kauke_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
    names.set(text, name);
  }
  return name;
}

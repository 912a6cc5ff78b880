/**
 * Queries that run so often that the database should parse and plan them once per connection instead of every time.
 * Their text starts with a mark, by which `embedded/prepared-statements.ts` and `postgres/postgres.ts`
 * recognise them. They run outside transactions: if a prepared statement fails, the query is repeated without it. Those
 * of `preparedQuery` change nothing when run twice. Others that write are prepared on the embedded database only, where
 * the program knows that a statement that failed changed nothing.
 */
import { createHash } from "node:crypto";
import { type CompiledQuery, type RawBuilder, sql } from "kysely";
import type { ChangeSignals } from "./change-signals.ts";
import type { Database } from "./database.ts";

const MARK = "/* prepared */ ";

/**
 * @param db not a transaction
 * @param query compiled once, with any values of the right types as parameters; it reads, or inserts what is missing
 * @returns a function that runs the query with other parameters, in the order of the compiled ones
 */
export function preparedQuery<Row>(
  db: Database,
  query: CompiledQuery<Row>,
): (parameters: readonly unknown[]) => Promise<Row[]> {
  if (db.isTransaction) throw new Error("a prepared query can't run in a transaction");
  const marked = { ...query, sql: `${MARK}${query.sql}` };
  return async (parameters) => (await db.executeQuery<Row>({ ...marked, parameters })).rows;
}

/**
 * Beginning of a statement that writes and is to be prepared: `sql`${preparedHere(db, signals)}UPDATE …``. Empty in a
 * transaction, and on PostgreSQL.
 */
export function preparedHere(db: Database, { isAlone }: Pick<ChangeSignals, "isAlone">): RawBuilder<unknown> {
  return sql.raw(isAlone && !db.isTransaction ? MARK : "");
}

export function isPreparedQuery(text: string): boolean {
  return text.startsWith(MARK);
}

/** Names by text, since texts are long and few. */
const names = new Map<string, string>();

/** Equal for equal texts only, so that processes which share a connection through a pooler never mix up statements. */
export function statementName(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `kauke_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
    names.set(text, name);
  }
  return name;
}

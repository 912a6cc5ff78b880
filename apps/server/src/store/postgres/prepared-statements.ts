/**
 * Prepared statements on PostgreSQL, one per connection of the pool and text. A pooler in transaction mode that does
 * not know them gives each statement to any of its connections, where it may not exist; then all queries of this
 * process are run without them.
 */
import type pg from "pg";
import type { Logger } from "../../core/ports.ts";
import { isPreparedQuery, statementName } from "../prepared-query.ts";

/**
 * SQLSTATEs that concern the prepared statement and not the query: it does not exist, it exists already, or its table
 * was changed by the migrations of a newer version.
 */
const statementErrors = new Set(["26000", "42P05", "0A000"]);

/** Makes the connections of the pool run the texts of prepared queries as prepared statements. */
export function usePreparedStatements(pool: pg.Pool, logger: Logger | undefined): void {
  let isUsable = true;
  const giveUp = (error: unknown) => {
    if (!(error instanceof Error && "code" in error && statementErrors.has(String(error.code)))) throw error;
    if (isUsable) logger?.info("prepared_statements_off");
    isUsable = false;
  };
  pool.on("connect", (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const runPrepared = async (text: string, values: unknown[]) => {
      try {
        return await query({ name: statementName(text), text, values });
      } catch (error) {
        giveUp(error);
        return await query(text, values);
      }
    };
    client.query = ((...args: unknown[]) => {
      const [text, values] = args;
      const isPrepared = isUsable && args.length === 2 && typeof text === "string" && isPreparedQuery(text);
      return isPrepared && Array.isArray(values) ? runPrepared(text, values) : query(...args);
    }) as typeof client.query;
  });
}

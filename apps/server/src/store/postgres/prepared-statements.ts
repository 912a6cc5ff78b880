/**
 * Prepared statements on PostgreSQL, one per connection of the pool and text. A pooler in transaction mode that does
 * not support them passes each statement to any of its connections, where it may not exist. Then this process runs all
 * queries without them.
 */
import pg from "pg";
import type { Logger } from "../../runtime/ports.ts";
import { isDatabaseError } from "../database.ts";
import { isPreparedQuery, statementName } from "../prepared-query.ts";

const UNKNOWN_STATEMENT = "26000";
const STATEMENT_EXISTS = "42P05";
/** A column of the result has another type, since a newer version of this program migrated the table. */
const RESULT_CHANGED = "0A000";

/** Makes the connections of the pool run the texts of prepared queries as named statements of pg. */
export function addPreparedStatements(pool: pg.Pool, logger: Logger | undefined): void {
  let isUsable = true;
  // Part of the statements' names: raising it makes every connection prepare them again.
  let generation = 0;
  /** @returns whether the statement failed, and not the query */
  const recover = (error: unknown, ofGeneration: number): boolean => {
    if (isDatabaseError(error, RESULT_CHANGED)) {
      generation = Math.max(generation, ofGeneration + 1);
      return true;
    }
    if (!isDatabaseError(error, UNKNOWN_STATEMENT) && !isDatabaseError(error, STATEMENT_EXISTS)) return false;
    if (isUsable) logger?.info("prepared_statements_off");
    isUsable = false;
    return true;
  };
  pool.on("connect", (client) => {
    const query = (...args: unknown[]): unknown => Reflect.apply(pg.Client.prototype.query, client, args);
    const runPrepared = async (text: string, values: unknown[]) => {
      const ofGeneration = generation;
      try {
        return await query({ name: `${statementName(text)}_${ofGeneration}`, text, values });
      } catch (error) {
        if (!recover(error, ofGeneration)) throw error;
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

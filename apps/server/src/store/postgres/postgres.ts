/** PostgreSQL 15 or newer through pg's pool. Values are parsed as by the embedded database. */

import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { bounds } from "../../limits/table.ts";
import type { Logger } from "../../runtime/ports.ts";
import { withCallerTurns } from "../concurrency/caller-turns.ts";
import type { Database, DB } from "../database.ts";
import { isDatabaseError } from "../database-error.ts";
import { isPreparedQuery, statementName } from "../prepared-query.ts";
import { StoreStartError } from "../start-error.ts";

const OLDEST_VERSION = 150_000;
const POOL_SIZE = 10;
const CONNECT_TIMEOUT_MS = 10_000;

export const connectionOptions = (databaseUrl: string) => ({
  connectionString: databaseUrl,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  application_name: "kauke",
  keepAlive: true,
});

const parsers: Record<number, (text: string) => unknown> = {
  [pg.types.builtins.INT8]: Number,
  [pg.types.builtins.INTERVAL]: (text) => text,
};

const getTypeParser = (oid: number): ((text: string) => unknown) => parsers[oid] ?? pg.types.getTypeParser(oid, "text");

/** Opens the pool. @throws StoreStartError `database_unreachable`, also for a server older than 15 */
export async function openPostgres(
  databaseUrl: string,
  logger: Logger | undefined,
  poolSize = POOL_SIZE,
): Promise<Database> {
  const pool = new pg.Pool({
    ...connectionOptions(databaseUrl),
    max: poolSize,
    types: { getTypeParser },
  });
  // A server restart breaks idle connections of the pool; without a listener the process would exit.
  pool.on("error", () => logger?.warn("database_connection_lost"));
  // The pool misses errors between two statements of a transaction, whose next statement fails anyway.
  pool.on("connect", (client) => client.on("error", () => {}));
  addPreparedStatements(pool, logger);
  try {
    await checkServer(pool, logger);
  } catch (error) {
    await pool.end();
    throw error;
  }
  const slots = { callers: bounds.databaseTurns.postgres, isSingle: false };
  return new Kysely<DB>({ dialect: withCallerTurns(new PostgresDialect({ pool }), slots) });
}

async function checkServer(pool: pg.Pool, logger: Logger | undefined): Promise<void> {
  const settings = await readSettings(pool);
  if (Number(settings.version) < OLDEST_VERSION)
    throw new StoreStartError(
      "database_unreachable",
      "DATABASE_URL names a PostgreSQL older than 15. Use 15 or newer.",
    );
  if (settings.fsync !== "on" || settings.commit === "off") logger?.warn("database_not_durable");
}

async function readSettings(pool: pg.Pool) {
  try {
    const { rows } = await pool.query<{ version: string; fsync: string; commit: string }>(
      "SELECT current_setting('server_version_num') AS version, current_setting('fsync') AS fsync, " +
        "current_setting('synchronous_commit') AS commit",
    );
    return rows[0] as { version: string; fsync: string; commit: string };
  } catch (cause) {
    throw new StoreStartError(
      "database_unreachable",
      "The PostgreSQL named by DATABASE_URL does not answer or refuses the login. Check the address, the user and the server.",
      cause,
    );
  }
}

/** A pooler in transaction mode may not know a prepared statement: then this process runs all queries without. */

const UNKNOWN_STATEMENT = "26000";
const STATEMENT_EXISTS = "42P05";
/** The error when a newer version of this program has changed the type of a column. */
const RESULT_CHANGED = "0A000";

function addPreparedStatements(pool: pg.Pool, logger: Logger | undefined): void {
  let isUsable = true;
  // Part of the statements' names: raising it makes every connection prepare them anew.
  let generation = 0;
  /** Whether the prepared statement failed, and not the query itself. */
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

/** SQLSTATE classes (Appendix A): connection lost, no resources, operator intervention, system error. */
const outageClasses = new Set(["08", "53", "57", "58"]);
/** SQLSTATEs of a database that is read-only, takes no connections, or did not grant a lock. */
const outageStates = new Set(["25006", "55000", "55P03"]);
const networkCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT",
]);
/** Messages of pg's own connection errors, which have no code. */
const connectionTexts = /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered)/;

export function isPostgresOutage(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const code = "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
  if (code === "") return connectionTexts.test(thrown.message);
  return networkCodes.has(code) || outageStates.has(code) || outageClasses.has(code.slice(0, 2));
}

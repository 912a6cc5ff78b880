/** PostgreSQL 15 or newer through pg's pool. Values are parsed as in the embedded database (`embedded-database.ts`). */
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { Logger } from "../../runtime/ports.ts";
import { withCallerTurns } from "../concurrency/caller-turns.ts";
import type { Database, DB } from "../database.ts";
import { StoreStartError } from "../start-error.ts";
import { addPreparedStatements } from "./prepared-statements.ts";

const OLDEST_VERSION = 150_000;
const POOL_SIZE = 10;
/** Maximum pooled connections for callers (web requests); the others stay free for mail and upkeep. */
const CALLERS_AT_ONCE = 6;
const CONNECT_TIMEOUT_MS = 10_000;

/** Options of pooled connections, also used for the connection that listens. */
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

/**
 * Opens a pool of connections, and checks the server.
 * @param poolSize maximum number of connections
 * @throws StoreStartError `database_unreachable` when the server does not answer, refuses the login, or is older than
 * version 15
 */
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
  // A server restart breaks idle connections. The pool replaces them, but without an error listener the process would
  // exit.
  pool.on("error", () => logger?.warn("database_connection_lost"));
  // The pool handles errors of a connection only while it is idle. A connection lost between two statements of a
  // transaction would end the process with an unhandled error; its user gets the error from the next statement.
  pool.on("connect", (client) => client.on("error", () => {}));
  addPreparedStatements(pool, logger);
  try {
    await checkServer(pool, logger);
  } catch (error) {
    await pool.end();
    throw error;
  }
  const slots = { callers: CALLERS_AT_ONCE, isSingle: false };
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

/** The two databases of a move, each locked all the time, on one connection with its own settings. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { changeSignals } from "../change-signals.ts";
import type { Database } from "../database.ts";
import { holdStartLock, runMigrations, underStartLock } from "../migrate.ts";
import { lockAndOpen, openOrUndo, recoverLeases, type Undo } from "../open-store.ts";
import { openPostgres } from "../postgres/postgres.ts";
import { openSpool } from "../queue/bodies/message-bodies.ts";
import { nodeSpoolFiles } from "../queue/bodies/spool-files.ts";
import { deliveryStore } from "../queue/deliveries.ts";
import { providerAliasStore } from "../rows/provider-aliases.ts";
import { givenSecretKey } from "../sealing/secret-key.ts";
import { loadServerKeys, type ServerKeys } from "../sealing/server-keys.ts";
import { MoveError } from "./move-error.ts";

export interface MoveEnd {
  db: Database;
  /** In words, without a password. */
  place: string;
  dataDir: string | null;
  /** @throws MoveError while a server is connected */
  refuseServers(): Promise<void>;
  /** As a start does before it serves: migrations, keys, leases, messages in flight. @throws StoreStartError */
  prepare(): Promise<ServerKeys>;
  migrate(): Promise<void>;
  close(): Promise<void>;
}

export interface DirectoryOptions {
  dataDir: string;
  secretKey: Buffer | null;
}

export function openDirectory({ dataDir, secretKey }: DirectoryOptions): Promise<MoveEnd> {
  return openOrUndo(async (undo) => {
    const { database, held } = await lockAndOpen({ secretKey }, dataDir, undo);
    const { db } = database;
    await settle(db);
    return {
      db,
      place: `the data directory ${dataDir}`,
      dataDir,
      refuseServers: async () => {},
      prepare: () => prepare(db, held.secretKey, dataDir),
      migrate: () => migrate(db),
      close: () => undo.run(),
    };
  });
}

export const hasDatabase = (dataDir: string): boolean => existsSync(join(dataDir, "db"));

export function openServer(databaseUrl: string, secretKey: Buffer | null): Promise<MoveEnd> {
  return openOrUndo(async (undo) => {
    const pool = await openPostgres(databaseUrl, undefined, 1);
    undo.add(() => pool.destroy());
    const db = await holdConnection(pool, undo);
    if (!(await holdStartLock(db)))
      throw new MoveError("A server is starting on that PostgreSQL, or another move runs. Run this again later.");
    await settle(db);
    return {
      db,
      place: placeOf(new URL(databaseUrl)),
      dataDir: null,
      refuseServers: () => refuseServers(db),
      prepare: () => prepare(db, givenSecretKey(secretKey), null),
      migrate: () => migrate(db),
      close: () => undo.run(),
    };
  });
}

function placeOf({ pathname, hostname, port, searchParams }: URL): string {
  const host = searchParams.get("host") ?? hostname;
  return `the PostgreSQL database ${pathname.slice(1)} at ${host}${port === "" ? "" : `:${port}`}`;
}

/** The lock is lost with the one connection; every later statement then fails. */
async function holdConnection(pool: Database, undo: Undo): Promise<Database> {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const { promise: held, resolve, reject } = Promise.withResolvers<Database>();
  const done = pool.connection().execute(async (db) => {
    resolve(db);
    await ended;
  });
  done.catch(reject);
  undo.add(async () => {
    end();
    await done.catch(() => {});
  });
  return await held;
}

/** Makes both databases write a value as the same text. */
async function settle(db: Database): Promise<void> {
  await sql`SET TIME ZONE 'UTC'`.execute(db);
  await sql`SET bytea_output = 'hex'`.execute(db);
}

/** Each server always has a connection that listens; `application_name` in the address renames it. */
async function refuseServers(db: Database): Promise<void> {
  const { rows } = await sql<{ count: number }>`SELECT count(DISTINCT pid) AS count FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
      AND application_name IN ('kauke', current_setting('application_name'))`.execute(db);
  if ((rows[0]?.count ?? 0) > 0)
    throw new MoveError("A server is connected to that PostgreSQL. Stop every server first, then run this again.");
}

async function migrate(db: Database): Promise<void> {
  await underStartLock(db, (trx) => runMigrations(trx, new Date()));
}

async function prepare(db: Database, secretKey: Buffer, dataDir: string | null): Promise<ServerKeys> {
  const keys = await underStartLock(db, async (trx) => {
    await runMigrations(trx, new Date());
    return await loadServerKeys(trx, secretKey, new Date());
  });
  const clock = { now: () => new Date(), steadyMs: () => performance.now() };
  const signals = changeSignals({ notify: false });
  const deliveries = deliveryStore({ db, keys, clock, signals }, { forgetBodies: async () => {} });
  const providerAliases = providerAliasStore({ db, keys, clock, signals });
  if (dataDir === null) {
    await deliveries.releaseLeases();
    await providerAliases.endLeases();
  } else {
    const { bodies, inFlight } = await openSpool({ dataDir, keys, clock, files: nodeSpoolFiles, logger: undefined });
    await recoverLeases({ files: inFlight, deliveries, providerAliases, bodies, clock, logger: undefined });
  }
  await db.updateTable("alias_import").set({ leased_by: null, leased_until: null }).execute();
  return keys;
}

/**
 * PGlite on a durable file system, in this process. A child process creates it (`embedded-init.ts`), since that needs
 * several times the memory of a start. The start fails if a test commit causes no fsync.
 */
import { execFile } from "node:child_process";
import { chmodSync, existsSync, openAsBlob } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { PGlite, types } from "@electric-sql/pglite";
import { Kysely, PGliteDialect } from "kysely";
import { nextLoopTurn } from "../../runtime/fair-queue/slices.ts";
import { withCallerTurns } from "../concurrency/caller-turns.ts";
import type { Database, DB } from "../database.ts";
import { syncDirectory } from "../queue/bodies/spool-files.ts";
import { StoreStartError } from "../start-error.ts";
import { DurableFileSystem, guardAgainstAbort, type SyncFile } from "./durability.ts";
import { addPreparedStatements } from "./prepared-statements.ts";

export interface EmbeddedDatabase {
  db: Database;
  /** False after a failed fsync or an abort: nothing can be stored until a restart. */
  isSound(): boolean;
  /** Runs `work` between two statements, while the files are as a kill would leave them. */
  pause<T>(work: () => Promise<T>): Promise<T>;
  /** Calls the listener with the payload of each NOTIFY, after its commit. */
  listen(channel: string, listener: (payload: string) => void): Promise<void>;
  close(): Promise<void>;
}

/** Web statements queued in the database at once: a statement of the mail path waits for no more. */
const CALLERS_AT_ONCE = 1;
const INT8 = 20;
const INTERVAL = 1186;
/** Parsers with the same results as pg's. PGlite's own serializer for bytea takes 200 ms per MiB. */
const typeOptions = {
  parsers: {
    [types.BYTEA]: (text: string) => Buffer.from(text.slice(2), "hex"),
    [INT8]: (text: string) => Number(text),
    [INTERVAL]: (text: string) => text,
  },
  serializers: {
    [types.BYTEA]: (bytes: Uint8Array) =>
      `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`,
  },
};

/**
 * PGlite's `-F` (fsync=off) is removed, and its wal_sync_method, a stub, replaced. Log segments kept for reuse would
 * hold deleted rows (`embedded-erasure.ts`). Memory to build an index is never returned, so it is limited.
 */
const startParams = [
  ...PGlite.defaultStartParams.filter((param) => param !== "-F"),
  "-c",
  "wal_sync_method=fsync",
  "-c",
  "shared_buffers=16MB",
  "-c",
  "wal_recycle=off",
  "-c",
  "maintenance_work_mem=16MB",
];

export async function openInMemory(dump = inMemoryDump()): Promise<EmbeddedDatabase> {
  const begun = dump === null ? {} : { loadDataDir: await openAsBlob(dump) };
  const inMemoryParams = [...PGlite.defaultStartParams, "-c", "shared_buffers=16MB"];
  const pglite = await PGlite.create({
    dataDir: "memory://",
    startParams: inMemoryParams,
    ...begun,
    ...typeOptions,
  });
  const listen = addNotifications(pglite);
  const pause = <T>(work: () => Promise<T>) => pglite.runExclusive(work);
  return { db: kyselyOver(pglite), isSound: () => true, pause, listen, close: () => pglite.close() };
}

/** Opens or creates the database. The caller holds the directory's lock. @throws StoreStartError */
export async function openEmbedded(directory: string, syncFile?: SyncFile): Promise<EmbeddedDatabase> {
  const databaseDirectory = join(directory, "db");
  if (!existsSync(databaseDirectory)) await initialise(databaseDirectory);
  const files = new DurableFileSystem(databaseDirectory, syncFile);
  const pglite = await PGlite.create({ fs: files, startParams, ...typeOptions });
  try {
    await checkDurable(pglite, files);
  } catch (error) {
    await pglite.close();
    throw error;
  }
  const listen = addNotifications(pglite);
  takeTurns(pglite);
  const guard = guardAgainstAbort(pglite);
  const isSound = () => !files.failed && !guard.hasAborted();
  // An aborted database can't be closed. Opening it again runs recovery.
  const close = async () => {
    if (isSound()) await pglite.close();
  };
  const pause = <T>(work: () => Promise<T>) => pglite.runExclusive(work);
  return { db: kyselyOver(pglite), isSound, pause, listen, close };
}

/** Adds prepared statements too, whose notifications PGlite does not see. */
function addNotifications(pglite: PGlite): EmbeddedDatabase["listen"] {
  const listeners: { channel: string; listener: (payload: string) => void }[] = [];
  addPreparedStatements(pglite, ({ channel, payload }) => {
    for (const one of listeners) if (one.channel === channel) one.listener(payload);
  });
  return async (channel, listener) => {
    listeners.push({ channel, listener });
    await pglite.listen(channel, listener);
  };
}

function kyselyOver(pglite: PGlite): Database {
  const slots = { callers: CALLERS_AT_ONCE, isSingle: true };
  return new Kysely<DB>({ dialect: withCallerTurns(new PGliteDialect({ pglite }), slots) });
}

/** The database is created under a temporary name, so that a kill leaves no incomplete one. */
async function initialise(databaseDirectory: string): Promise<void> {
  const unfinished = `${databaseDirectory}.new`;
  await rm(unfinished, { recursive: true, force: true });
  const program = fileURLToPath(new URL("./embedded-init.ts", import.meta.url));
  try {
    await promisify(execFile)(process.execPath, [program, unfinished], { timeout: 120_000 });
  } catch (cause) {
    throw new StoreStartError("first_start_failed", "The embedded database could not be created.", cause);
  }
  await rename(unfinished, databaseDirectory);
  await syncDirectory(dirname(databaseDirectory));
}

/** @throws StoreStartError `not_durable` when a test commit causes no fsync */
export async function checkDurable(pglite: PGlite, files: DurableFileSystem): Promise<void> {
  await pglite.exec("CREATE TABLE IF NOT EXISTS durability_check (checked_at timestamptz NOT NULL)");
  await pglite.exec("DELETE FROM durability_check");
  const before = files.syncs;
  await pglite.exec("INSERT INTO durability_check VALUES (now())");
  if (files.syncs > before) return;
  throw new StoreStartError(
    "not_durable",
    "The embedded database does not put commits on stable storage (a test commit caused no fsync), so it is not started.",
  );
}

/** Yields between statements, which run on this thread: a long series would block timers, sockets and upkeep. */

/** Milliseconds for which statements may follow each other without yielding. */
const TURN_MS = 10;

export function takeTurns(pglite: PGlite): void {
  let turnEndsAt = 0;
  const yieldWhenDue = async () => {
    if (performance.now() < turnEndsAt) return;
    await nextLoopTurn();
    turnEndsAt = performance.now() + TURN_MS;
  };
  const query = pglite.query.bind(pglite);
  pglite.query = async <Row>(...args: Parameters<typeof query<Row>>) => {
    await yieldWhenDue();
    return await query<Row>(...args);
  };
  const begin = pglite.transaction.bind(pglite);
  pglite.transaction = async (work) => {
    await yieldWhenDue();
    return await begin(work);
  };
}

let dumpFile: string | null = null;

/** Sets the dump that `openInMemory` loads, four times faster than making the tables. Called by tests. */
export function setInMemoryDump(file: string): void {
  dumpFile = file;
}

export function inMemoryDump(): string | null {
  return dumpFile;
}

/**
 * Allows one process per data directory, since PGlite lets two open it, and one loses all it wrote. An exclusive SQLite
 * transaction on an empty file, which the kernel ends with the process. Never open that file elsewhere in this process:
 * closing any descriptor releases the lock (POSIX).
 */

export interface ProcessLock {
  release(): void;
}

/** @throws StoreStartError `locked` while another process, or this one, holds the lock */
export function lockDirectory(directory: string): ProcessLock {
  const path = join(directory, "process.lock");
  const file = new DatabaseSync(path);
  try {
    chmodSync(path, 0o600);
    file.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch (cause) {
    file.close();
    throw new StoreStartError(
      "locked",
      "Another Kauke process is using this data directory. Stop it first, or set KAUKE_DATA_DIR to another directory.",
      cause,
    );
  }
  return { release: () => file.close() };
}

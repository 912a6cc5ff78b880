/**
 * The fsync that PGlite lacks: its NODEFS reports every fsync with success and does nothing (electric-sql/pglite issue
 * 1107), so a power failure could lose committed rows. Relies on internals of PGlite 0.5.16: hence the exact pin, and
 * the check of `embedded-database.ts` at each start.
 */
import { closeSync, fsyncSync, openSync } from "node:fs";
import type { PGlite } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";

const EIO = 29;

interface SyncStream {
  nfd?: number;
  node: unknown;
}

interface NodeFileSystem {
  realPath(node: unknown): string;
  stream_ops: { fsync?: (stream: SyncStream) => number };
}

export type SyncFile = (descriptor: number) => void;

export class DurableFileSystem extends NodeFS {
  syncs = 0;
  /** After a failed fsync nothing counts as stored: the kernel may have dropped the pages, and a retry would lie. */
  failed = false;
  readonly #syncFile: SyncFile;

  constructor(directory: string, syncFile: SyncFile = fsyncSync) {
    super(directory);
    this.#syncFile = syncFile;
  }

  override async init(pg: PGlite, options: Parameters<NodeFS["init"]>[1]): ReturnType<NodeFS["init"]> {
    const { emscriptenOpts } = await super.init(pg, options);
    const preRun = emscriptenOpts.preRun ?? [];
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...preRun, (module) => this.#install(module)] } };
  }

  #install(module: unknown): void {
    const { NODEFS } = module as { NODEFS: NodeFileSystem };
    NODEFS.stream_ops.fsync = (stream) => this.#sync(() => syncStream(NODEFS, stream, this.#syncFile));
  }

  #sync(sync: () => void): number {
    if (this.failed) return EIO;
    try {
      sync();
      this.syncs += 1;
      return 0;
    } catch {
      this.failed = true;
      return EIO;
    }
  }
}

function syncStream(nodeFs: NodeFileSystem, stream: SyncStream, syncFile: SyncFile): void {
  if (stream.nfd !== undefined) return syncFile(stream.nfd);
  // Windows writes directory entries to disk by itself.
  if (process.platform === "win32") return;
  const descriptor = openSync(nodeFs.realPath(stream.node), "r");
  try {
    syncFile(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Guard against an abort (PANIC: an fsync or a write of the log failed). PGlite's main loop catches it like any error
 * and repeats for ever, which hangs the process. With the guard this and all later statements fail at once. Relies on
 * internals of PGlite 0.5.16: `embedded-store.test.ts` fails when they change.
 */

/** Status of an ordinary SQL error (POSTGRES_MAIN_LONGJMP); anything else thrown is an abort. */
const SQL_ERROR_STATUS = 100;

interface Program {
  _PostgresMainLoopOnce(): void;
  stackRestore(pointer: number): void;
  _PostgresSendReadyForQueryIfNecessary(): void;
  _pgl_pq_flush(): void;
}

export class DatabaseAborted extends Error {
  override name = "DatabaseAborted";
  constructor() {
    super("The embedded database has stopped after a disk error. Restart the process.");
  }
}

export interface AbortGuard {
  hasAborted(): boolean;
}

export function guardAgainstAbort(pglite: PGlite): AbortGuard {
  const program = pglite.Module as unknown as Program;
  let aborted = false;
  const refuse = () => {
    if (aborted) throw new DatabaseAborted();
  };
  const runOnce = program._PostgresMainLoopOnce;
  program._PostgresMainLoopOnce = () => {
    refuse();
    try {
      runOnce();
    } catch (error) {
      aborted ||= !isSqlError(error);
      throw error;
    }
  };
  // `stackRestore` is called first in the catch block of PGlite's main loop; only its throw leaves that loop.
  const restore = program.stackRestore;
  program.stackRestore = (pointer) => {
    refuse();
    restore(pointer);
  };
  for (const name of ["_PostgresSendReadyForQueryIfNecessary", "_pgl_pq_flush"] as const) {
    const call = program[name];
    program[name] = () => {
      if (!aborted) call();
    };
  }
  // Kysely waits for ever for a transaction whose BEGIN fails, so an aborted database refuses before BEGIN.
  const begin = pglite.transaction.bind(pglite);
  pglite.transaction = (work) => {
    refuse();
    return begin(work);
  };
  return { hasAborted: () => aborted };
}

function isSqlError(error: unknown): boolean {
  return typeof error === "object" && error !== null && "status" in error && error.status === SQL_ERROR_STATUS;
}

/**
 * Handles an abort of the embedded database (PANIC: an fsync or a write of its log failed). PGlite's main loop catches
 * that abort like any other error and repeats for ever, so that one disk error would hang the whole process. With this
 * guard the statement fails, every later statement fails at once without entering the aborted program, and the rest of
 * the process goes on. Relies on internals of PGlite 0.5.16: `embedded-store.test.ts` fails when they change.
 */
import type { PGlite } from "@electric-sql/pglite";

/** Status that PGlite throws for an ordinary SQL error (POSTGRES_MAIN_LONGJMP). Anything else thrown is an abort. */
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
  // `stackRestore` is the first call in the catch block of PGlite's main loop, and the only one from which a throw
  // leaves that loop.
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
  // Kysely waits for ever for a transaction whose BEGIN fails, so an aborted database must refuse it before BEGIN.
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

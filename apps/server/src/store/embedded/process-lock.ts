/**
 * Allows one process per data directory. PGlite has no such guard: two processes can use the same directory, and one of
 * them loses everything it wrote. The lock is an exclusive SQLite transaction on an empty file, which the kernel
 * releases when the process ends. Never open the lock file elsewhere in the same process: closing any descriptor of it
 * would release the lock (POSIX).
 */
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreStartError } from "../start-error.ts";

export interface ProcessLock {
  release(): void;
}

/**
 * Locks a data directory for this process.
 * @throws StoreStartError `locked` while another process, or this one, holds the lock
 */
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

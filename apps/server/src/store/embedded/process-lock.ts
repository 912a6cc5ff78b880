/**
 * One process per data directory. PGlite has no guard of its own: two processes on one directory run happily and one of them
 * loses everything it wrote. An exclusive SQLite transaction on an empty file is the lock: the kernel drops it with the process.
 * Never open the lock file elsewhere in the same process: closing any descriptor of it would drop the lock (POSIX).
 */
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreStartError } from "../start-error.ts";

export interface ProcessLock {
  release(): void;
}

/** @throws StoreStartError `locked` while another process (or this one) holds the directory */
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

/** The dump that tests load instead of creating a database in memory each time. */

let dumpFile: string | null = null;

/**
 * Sets the dump that `openInMemory` loads in this process: a database with tables and no rows. Called by tests only.
 */
export function setInMemoryDump(file: string): void {
  dumpFile = file;
}

/**
 * @returns path of the dump; `null` if none was set, so that the database is created anew, which takes four times as
 * long
 */
export function inMemoryDump(): string | null {
  return dumpFile;
}

let dumpFile: string | null = null;

/**
 * Sets the dump of a database with tables and no rows that `openInMemory` loads in this process. Called by tests only.
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

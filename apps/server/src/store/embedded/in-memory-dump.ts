let told: string | null = null;

/** Of a database with tables and no rows, for `openInMemory` of this process to begin with. Only tests tell one. */
export function tellInMemoryDump(file: string): void {
  told = file;
}

/** @returns the file's path; `null` when none was told: the database is made anew, in four times the time */
export function inMemoryDump(): string | null {
  return told;
}

let told: string | null = null;

/** Of an empty database, for `openInMemory` of this process to begin with. Only tests tell one. */
export function tellInMemoryDump(file: string): void {
  told = file;
}

/** @returns the file's path; `null` when none was told: the database is made anew, in four times the time */
export function inMemoryDump(): string | null {
  return told;
}

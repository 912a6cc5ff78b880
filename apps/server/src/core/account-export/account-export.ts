/** Everything held about one account, for its owner to take away. */

/** A row in clear form. What a key protects twice (a hash, a wrapped key) is named as such. */
export interface ExportedRow {
  readonly [column: string]: unknown;
  /** ISO 8601, or a sentence where no date can be known, e.g. `with the account`. */
  readonly deletionDate: string;
}

export interface ExportedTable {
  /** What lies in this table, and what of it is not in the file. */
  about: string;
  rows: readonly ExportedRow[];
}

/** Table name to its rows; every table of the database is there, those that hold nothing of an account too. */
export type ExportedTables = Readonly<Record<string, ExportedTable>>;

export interface AccountExportStore {
  /**
   * Reads page by page, so that others have their turn between; one account at a time, so that memory has a bound.
   * @returns `null` when the account is gone
   * @throws AppError `busy` when too many wait
   */
  read(userId: string): Promise<ExportedTables | null>;
}

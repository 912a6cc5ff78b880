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
  /** Page by page, read from the database as they are asked for; once only. */
  rows: AsyncIterable<readonly ExportedRow[]>;
}

/** By table name; every table of the database is there, those that hold nothing of an account too. They are read in their order. */
export type ExportedTables = Readonly<Record<string, ExportedTable>>;

export interface AccountExportStore {
  /** @returns `null` when the account is gone */
  read(userId: string): Promise<ExportedTables | null>;
}

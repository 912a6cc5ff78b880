/** The export of everything stored about one account, for its owner to download. */

/** A row in clear text. Keyed hashes and other binary columns are left out. */
export interface ExportedRow {
  readonly [column: string]: unknown;
  /** When the row is deleted: an ISO 8601 date, or a sentence if the date is not known, e.g. `with the account`. */
  readonly deletionDate: string;
}

export interface ExportedTable {
  /** Sentence for the account's owner: what the table contains, and what the export leaves out. */
  about: string;
  /** Pages of rows, read from the database as the iterator advances; can be iterated once. */
  rows: AsyncIterable<readonly ExportedRow[]>;
}

/** Tables by name: every table of the database, including those without account data. They are read in this order. */
export type ExportedTables = Readonly<Record<string, ExportedTable>>;

export interface AccountExportStore {
  /** Reads all rows of an account. @returns `null` when the account no longer exists */
  read(userId: string): Promise<ExportedTables | null>;
}

/** The checklist of an account: sites that still have an old address, and the alias that replaces it at each. */

export interface ChecklistRow {
  /** Id of the sealed document that holds the row, a dot, and the row's number in it. */
  id: string;
  /** Host name, or the name that the entry has in a password manager. */
  site: string;
  oldAddress: string;
  /** Alias that replaces the old address. It may have been deleted since. */
  aliasId: string | null;
  done: boolean;
}

export type NewChecklistRow = Pick<ChecklistRow, "site" | "oldAddress" | "aliasId">;

export interface ChecklistChange {
  id: string;
  done?: boolean | undefined;
  aliasId?: string | null | undefined;
  remove?: true | undefined;
}

export interface ChecklistStore {
  /** Rows in the order in which they were added. */
  list(userId: string): Promise<ChecklistRow[]>;
  /**
   * Adds the rows that are not on the checklist yet. A row is there if its site and old address are, in any case.
   * @returns the number of rows added; `full` if there would be more than `max` rows, and then none is added
   */
  add(userId: string, rows: readonly NewChecklistRow[], max: number): Promise<number | "full">;
  /** @returns the number of rows found and changed */
  change(userId: string, changes: readonly ChecklistChange[]): Promise<number>;
  clear(userId: string): Promise<void>;
}

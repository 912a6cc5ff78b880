/** An import as it is stored: its summary, and rows in batches. Everything that names addresses is sealed. */
import type { ImportFormat, ImportResult, ImportState } from "@kauke/contract";
import type { Alias, Destination } from "../alias/alias.ts";

/** Rows of one batch, which a run handles in one transaction. */
export const BATCH_ROWS = 500;

export interface ImportRow {
  row: number;
  /** Address as the file has it. */
  address: string;
  result: ImportResult;
  /** Name and domain of the alias that is made or exists; `null` for other results. */
  alias: { name: string; domain: string } | null;
  /** Id of the alias that is made. */
  aliasId: string | null;
  reason: string | null;
  destinations: Destination[];
  active: boolean;
  notes: string | null;
  made: boolean;
  /** Whether the account had given the address up before, so that it was held; absent: no. */
  isReclaimed?: boolean;
}

export type ImportCounts = Record<ImportResult, number>;

export interface ImportSummary {
  format: ImportFormat;
  /** Our domain on which addresses of other domains get a twin. */
  domain: string;
  /** Label of all aliases that the import makes; `null` for none. */
  label: string | null;
  counts: ImportCounts;
  /** Aliases that the run or the undo has handled, and those that it has to. */
  progress: { done: number; total: number };
  made: number;
  undone: number;
  /** Addresses that an undo kept, the first `KEPT_NAMED_MAX` of them. */
  kept: string[];
  keptCount: number;
  unconfirmed: string[];
  remarks: string[];
}

export const KEPT_NAMED_MAX = 100;

export interface AliasImport {
  id: string;
  userId: string;
  /** `reading`: its rows are still being stored; such an import is not shown. */
  state: ImportState | "reading";
  createdAt: Date;
  /** When the state changed last. */
  changedAt: Date;
  rows: number;
  summary: ImportSummary;
}

/** What an address means to an account that wants it. */
export type AddressStanding =
  /** The account has it. */
  | { kind: "own"; notes: string | null }
  /** Another account has it, or had it until recently. */
  | { kind: "other" };

/** What became of a batch. */
export interface BatchOutcome {
  import: AliasImport;
  /** Whether batches are left. */
  isMore: boolean;
}

export interface ImportStore {
  /** Imports of the account, newest first, without one that is still read. */
  list(userId: string): Promise<AliasImport[]>;
  find(userId: string, importId: string): Promise<AliasImport | null>;
  /**
   * Stores a new import in state `reading`. It replaces the account's dry runs that were not run.
   * @throws AppError `invalid` when the account has as many stored rows as it may
   */
  begin(alias: AliasImport): Promise<void>;
  /** Stores the rows of the next batch. @throws AppError `not_found` when the import was replaced or deleted */
  addBatch(importId: string, position: number, rows: readonly ImportRow[]): Promise<void>;
  /** Ends the reading: the import becomes a dry run. @throws AppError `not_found` */
  finishReading(importId: string, summary: ImportSummary, rows: number): Promise<AliasImport>;
  /** One batch of rows; `null` after the last. */
  batch(importId: string, position: number): Promise<ImportRow[] | null>;
  /**
   * Changes the state of an import under the account's lock.
   * @param decide returns the next state and summary, or `null` to leave the import as it is; `others` are the states
   * of the account's other imports
   * @returns the import afterwards; `null` when it is not this account's
   */
  change(
    userId: string,
    importId: string,
    decide: (
      now: AliasImport,
      others: readonly AliasImport["state"][],
    ) => { state: ImportState; summary: ImportSummary } | null,
  ): Promise<AliasImport | null>;
  /**
   * Takes the right to work on a running import for a while, so that one process does; a holder takes it again.
   * @returns false when another process has it
   */
  lease(importId: string, holder: string, until: Date): Promise<boolean>;
  release(importId: string, holder: string): Promise<void>;
  /** Makes the aliases of the next batch, in one transaction. @returns `null` when the import is gone or not running */
  runBatch(importId: string, toAlias: (row: ImportRow) => Alias | null): Promise<BatchOutcome | null>;
  /** Deletes the unchanged aliases of the next batch, in one transaction. @returns `null` when it is not being undone */
  undoBatch(importId: string): Promise<BatchOutcome | null>;
  delete(userId: string, importId: string): Promise<boolean>;
  /** Deletes imports whose state changed last before this time. @returns number of deleted imports */
  deleteBefore(before: Date): Promise<number>;
}

export function emptySummary(of: Pick<ImportSummary, "format" | "domain" | "label">): ImportSummary {
  const counts: ImportCounts = {
    create: 0,
    twin: 0,
    exists: 0,
    taken: 0,
    reserved: 0,
    invalid: 0,
    deleted: 0,
    over_limit: 0,
  };
  const progress = { done: 0, total: 0 };
  return { ...of, counts, progress, made: 0, undone: 0, kept: [], keptCount: 0, unconfirmed: [], remarks: [] };
}

/** Whether a run makes an alias of the row. */
export const isToBeMade = ({ result }: Pick<ImportRow, "result">): boolean => result === "create" || result === "twin";

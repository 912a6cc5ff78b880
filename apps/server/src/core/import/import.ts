/** Stored imports: each has a summary, and rows in batches. Everything that names addresses is sealed. */
import type { ImportFormat, ImportResult, ImportState } from "@kauke/contract";
import type { Alias, Destination } from "../alias/alias.ts";

/** Reasons of rows that both a dry run and a run may find. */
export const importReasons = {
  taken: "Somebody else has this address, or had it until recently.",
  noFreeName: "No free name was found for it.",
} as const;

/** Maximum rows of one batch, which a run handles in one transaction. */
export const BATCH_ROWS = 500;

export interface ImportRow {
  row: number;
  /** Address of the alias as the imported file spells it. */
  address: string;
  result: ImportResult;
  /**
   * Name and domain of the alias that the row creates or that exists already; of an unchecked row the first name that
   * the run tries; `null` for other results.
   */
  alias: { name: string; domain: string } | null;
  /** Id of the alias that the row creates; `null` if it creates none. */
  aliasId: string | null;
  reason: string | null;
  destinations: Destination[];
  active: boolean;
  notes: string | null;
  made: boolean;
  /**
   * Of a row that the dry run left unchecked: result and reason if the run creates the alias, and further names that the
   * run tries in turn.
   */
  unchecked?: { result: "create" | "twin"; reason: string | null; names: string[] };
}

export type ImportCounts = Record<ImportResult, number>;

export interface ImportSummary {
  format: ImportFormat;
  /** Domain of this server on which addresses of foreign domains get a twin. */
  domain: string;
  /** Id of the label that all aliases of the import get; `null` for none. */
  label: string | null;
  counts: ImportCounts;
  /** Number of aliases that the run or undo has handled, and of all that it has to handle. */
  progress: { done: number; total: number };
  made: number;
  undone: number;
  /**
   * Addresses of aliases that an undo did not delete, since they were changed or used, the first `KEPT_NAMED_MAX` of
   * them.
   */
  kept: string[];
  keptCount: number;
  unconfirmed: string[];
  remarks: string[];
}

export const KEPT_NAMED_MAX = 100;

export interface AliasImport {
  id: string;
  userId: string;
  /**
   * State of the import. In state `reading`, its rows are still being stored and the import is hidden from its owner.
   */
  state: ImportState | "reading";
  createdAt: Date;
  /** Time of the last change of state. */
  changedAt: Date;
  rows: number;
  summary: ImportSummary;
}

/** Who has an address that an account wants to use; free addresses have no standing. */
export type AddressStanding =
  /** This account has an alias with the address. */
  | { kind: "own"; notes: string | null }
  /** Another account has an alias with the address, or had one until recently. */
  | { kind: "other" };

/** Result of running or undoing one batch of an import. */
export interface BatchOutcome {
  import: AliasImport;
  /** Whether the import has further batches to handle. */
  isMore: boolean;
}

export interface ImportStore {
  /** Imports of the account, newest first, without one that is still being read. */
  list(userId: string): Promise<AliasImport[]>;
  find(userId: string, importId: string): Promise<AliasImport | null>;
  /**
   * Stores a new import in state `reading`. It replaces dry runs of the account that were never run.
   * @throws AppError `invalid` when the account already stores its maximum number of import rows
   */
  begin(alias: AliasImport): Promise<void>;
  /**
   * Stores the rows of the next batch.
   * @throws AppError `not_found` when the import was replaced or deleted
   */
  addBatch(importId: string, position: number, rows: readonly ImportRow[]): Promise<void>;
  /**
   * Turns an import in state `reading` into a dry run.
   * @throws AppError `not_found`
   */
  finishReading(importId: string, summary: ImportSummary, rows: number): Promise<AliasImport>;
  /** Rows of the batch at a position; `null` after the last batch. */
  batch(importId: string, position: number): Promise<ImportRow[] | null>;
  /**
   * Changes the state of an import under the account's lock.
   * @param decide returns the next state and summary, or `null` to leave the import as it is; `others` are the states
   * of the account's other imports
   * @returns the import after the change; `null` when it does not belong to this account
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
   * Leases a running import to one process, so that no other works on it at the same time. The holder may renew its
   * lease.
   * @returns false when another process holds the lease
   */
  lease(importId: string, holder: string, until: Date): Promise<boolean>;
  release(importId: string, holder: string): Promise<void>;
  /**
   * Creates the aliases of the next batch in one transaction.
   * @returns `null` when the import is deleted or not running
   */
  runBatch(importId: string, toAlias: (row: ImportRow) => Alias | null): Promise<BatchOutcome | null>;
  /**
   * Deletes the unchanged aliases of the next batch in one transaction.
   * @returns `null` when the import is not being undone
   */
  undoBatch(importId: string): Promise<BatchOutcome | null>;
  delete(userId: string, importId: string): Promise<boolean>;
  /**
   * Deletes imports whose last change of state was before this time.
   * @returns number of deleted imports
   */
  deleteBefore(before: Date): Promise<number>;
}

export function emptySummary(of: Pick<ImportSummary, "format" | "domain" | "label">): ImportSummary {
  const counts: ImportCounts = {
    create: 0,
    twin: 0,
    exists: 0,
    taken: 0,
    unchecked: 0,
    reserved: 0,
    invalid: 0,
    deleted: 0,
    over_limit: 0,
  };
  const progress = { done: 0, total: 0 };
  return { ...of, counts, progress, made: 0, undone: 0, kept: [], keptCount: 0, unconfirmed: [], remarks: [] };
}

/** Whether running the import creates an alias for this row, or tries to. */
export const isToBeMade = ({ result }: Pick<ImportRow, "result">): boolean =>
  result === "create" || result === "twin" || result === "unchecked";

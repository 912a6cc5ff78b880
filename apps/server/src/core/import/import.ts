/** A stored import: a summary, and rows in batches, sealed because they name addresses. */
import type { ImportFormat, ImportResult, ImportState } from "@kauke/contract";
import type { AliasToInsert, Destination } from "../alias/alias.ts";

export const importReasons = {
  taken: "Somebody else has this address, or had it until recently.",
  noFreeName: "No free name was found for it.",
  domainUnusable: "Its domain takes no mail for you any more.",
} as const;

export const BATCH_ROWS = 500;

export interface ImportRow {
  row: number;
  address: string;
  result: ImportResult;
  /** The alias, created or existing; for an unchecked row the first name to try; else `null`. */
  alias: { name: string; domain: string } | null;
  aliasId: string | null;
  reason: string | null;
  destinations: Destination[];
  active: boolean;
  notes: string | null;
  made: boolean;
  unchecked?: { result: "create" | "twin"; reason: string | null; names: string[] };
}

export type ImportCounts = Record<ImportResult, number>;

export interface ImportSummary {
  format: ImportFormat;
  domain: string;
  label: string | null;
  counts: ImportCounts;
  progress: { done: number; total: number };
  made: number;
  undone: number;
  /** Aliases that an undo did not delete because they were changed or used; the first `KEPT_NAMED_MAX`. */
  kept: string[];
  keptCount: number;
  unconfirmed: string[];
  remarks: string[];
}

export const KEPT_NAMED_MAX = 100;

export interface AliasImport {
  id: string;
  userId: string;
  /** `reading`: rows are still being stored, and the import is hidden from its owner. */
  state: ImportState | "reading";
  createdAt: Date;
  changedAt: Date;
  rows: number;
  summary: ImportSummary;
}

export type ImportedAddressStanding = { kind: "own"; notes: string | null } | { kind: "other" };

export interface BatchOutcome {
  import: AliasImport;
  isMore: boolean;
}

export interface ImportStore {
  /** Newest first, without one that is still being read. */
  list(userId: string): Promise<AliasImport[]>;
  find(userId: string, importId: string): Promise<AliasImport | null>;
  /** Replaces the account's dry runs. @throws AppError `invalid` for too many rows */
  begin(alias: AliasImport): Promise<void>;
  /** @throws AppError `not_found` when the import was replaced or deleted */
  addBatch(importId: string, position: number, rows: readonly ImportRow[]): Promise<void>;
  /** Turns the import into a dry run. @throws AppError `not_found` */
  finishReading(importId: string, summary: ImportSummary, rows: number): Promise<AliasImport>;
  batch(importId: string, position: number): Promise<ImportRow[] | null>;
  /** `null` for another account's import. @param decide runs under the account's lock; `others`: its other imports */
  change(
    userId: string,
    importId: string,
    decide: (
      now: AliasImport,
      others: readonly AliasImport["state"][],
    ) => { state: ImportState; summary: ImportSummary } | null,
  ): Promise<AliasImport | null>;
  /** Leases the import or renews the lease. @returns false when another holder has the lease */
  lease(importId: string, holder: string, until: Date): Promise<boolean>;
  release(importId: string, holder: string): Promise<void>;
  /** Creates a batch's aliases in one transaction; `null` when the import is deleted or not running. */
  runBatch(importId: string, toAlias: (row: ImportRow) => AliasToInsert | null): Promise<BatchOutcome | null>;
  undoBatch(importId: string): Promise<BatchOutcome | null>;
  delete(userId: string, importId: string): Promise<boolean>;
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

export const isToBeMade = ({ result }: Pick<ImportRow, "result">): boolean =>
  result === "create" || result === "twin" || result === "unchecked";

/** Reads, locks, seals and unseals the database rows of imports and of their batches. */
import { type AliasImport, emptySummary, type ImportRow, type ImportSummary } from "../../../core/import/import.ts";
import type { AliasImportTable, Database, InTransaction } from "../../database.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";
import type { ReleasedAddresses } from "../accounts/released-addresses.ts";

export interface ImportStoreParts {
  released: ReleasedAddresses;
  /** Deletes the bodies of messages that were deleted with an alias. */
  forgetBodies(messageIds: readonly string[]): Promise<void>;
}

interface BatchDocument {
  rows: ImportRow[];
}

type ImportColumns = Pick<
  AliasImportTable,
  "id" | "user_id" | "state" | "row_count" | "created_at" | "changed_at" | "sealed"
>;

export const importColumns = ["id", "user_id", "state", "row_count", "created_at", "changed_at", "sealed"] as const;

export function toImport(keys: ServerKeys, row: ImportColumns): AliasImport {
  return {
    id: row.id,
    userId: row.user_id,
    state: row.state,
    createdAt: row.created_at,
    changedAt: row.changed_at,
    rows: row.row_count,
    summary: openSummary(keys, row),
  };
}

/** Summaries of an earlier version lack the counts of results that it did not have. */
function openSummary(keys: ServerKeys, { id, sealed }: Pick<ImportColumns, "id" | "sealed">): ImportSummary {
  const summary = keys.open<ImportSummary>("alias_import", id, sealed);
  return { ...summary, counts: { ...emptySummary(summary).counts, ...summary.counts } };
}

/** Locks the account's row, then the import's. The deletion of an account locks in the same order. */
export async function lockImport(trx: InTransaction, importId: string) {
  await trx
    .selectFrom("user")
    .select("id")
    .where("id", "=", (query) => query.selectFrom("alias_import").select("user_id").where("id", "=", importId))
    .forUpdate()
    .execute();
  return trx.selectFrom("alias_import").select(importColumns).where("id", "=", importId).forUpdate().executeTakeFirst();
}

/** The next batch that the import's run or undo has to handle. */
export function nextOpenBatch(db: Database | InTransaction, importId: string) {
  return db
    .selectFrom("alias_import_batch")
    .select(["id", "sealed"])
    .where("import_id", "=", importId)
    .where("is_open", "=", true)
    .orderBy("batch_index")
    .limit(1)
    .executeTakeFirst();
}

export function openBatch(keys: ServerKeys, batch: { id: string; sealed: Buffer }): ImportRow[] {
  return keys.open<BatchDocument>("alias_import_batch", batch.id, batch.sealed).rows;
}

export function sealBatch(keys: ServerKeys, id: string, rows: readonly ImportRow[]): Buffer {
  return keys.seal("alias_import_batch", id, { rows });
}

/**
 * Deletes what one batch created and nobody has used or changed. The addresses are free at once: they existed for an
 * hour at most, and the usual 30 days would block thousands of names after a mistaken import. One that was reserved
 * before is reserved again.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { aliasAddress } from "../../../core/alias/alias.ts";
import { type BatchOutcome, type ImportRow, type ImportSummary, KEPT_NAMED_MAX } from "../../../core/import/import.ts";
import type { InTransaction } from "../../database.ts";
import type { StoreContext } from "../../store-context.ts";
import type { AliasDocument } from "../aliases/alias-document.ts";
import { deleteFinishedMessages } from "../job-records.ts";
import { anyOfIds } from "../sql-parts.ts";
import { type ImportStoreParts, lockImport, nextOpenBatch, openBatch, sealBatch, toImport } from "./run-batch.ts";

export async function undoBatch(
  context: StoreContext,
  { released, forgetBodies }: ImportStoreParts,
  importId: string,
): Promise<BatchOutcome | null> {
  const { db, signals } = context;
  const done = await db.transaction().execute((trx) => undoInTransaction(context, trx, { released, importId }));
  if (done === null) return null;
  if (done.deleted.length > 0) await signals.routeChanged({ userId: done.outcome.import.userId });
  await forgetBodies(done.orphans);
  return done.outcome;
}

async function undoInTransaction(
  context: StoreContext,
  trx: InTransaction,
  { released, importId }: Pick<ImportStoreParts, "released"> & { importId: string },
) {
  const { keys, signals, clock } = context;
  const row = await lockImport(trx, importId);
  if (row?.state !== "undoing") return null;
  const now = toImport(keys, row);
  const batch = await nextOpenBatch(trx, importId);
  const rows = batch === undefined ? [] : openBatch(keys, batch);
  const made = rows.filter((row) => row.made);
  const { unused, kept } = await lockMade(context, trx, { made, userId: row.user_id });
  const deleted = unused.map((alias) => alias.id);
  const orphans = await deleteMailOf(trx, deleted);
  const gone = new Set(deleted);
  const reclaimed = unused.filter((alias) => alias.fresh === "reclaimed");
  const addresses = reclaimed.map((alias) => ({ index: alias.address_index, isUnused: false }));
  await released.release(trx, { formerUserId: row.user_id, network: null, addresses });
  if (batch !== undefined) {
    const left = rows.map((row) => (gone.has(row.aliasId ?? "") ? { ...row, made: false } : row));
    const sealed = sealBatch(keys, batch.id, left);
    await trx.updateTable("alias_import_batch").set({ is_open: false, sealed }).where("id", "=", batch.id).execute();
  }
  const summary = summaryAfter(now.summary, { made: made.length, deleted: deleted.length, kept });
  const isMore = (await nextOpenBatch(trx, importId)) !== undefined;
  const state = isMore ? ("undoing" as const) : ("undone" as const);
  const changed_at = isMore ? row.changed_at : clock.now();
  const sealed = keys.seal("alias_import", importId, summary);
  await trx.updateTable("alias_import").set({ state, changed_at, sealed }).where("id", "=", importId).execute();
  if (deleted.length > 0) await signals.announceRoute(trx, deleted);
  return { outcome: { import: { ...now, state, changedAt: changed_at, summary }, isMore }, deleted, orphans };
}

function summaryAfter(
  before: ImportSummary,
  { made, deleted, kept }: { made: number; deleted: number; kept: readonly string[] },
): ImportSummary {
  return {
    ...before,
    progress: { ...before.progress, done: before.progress.done + made },
    undone: before.undone + deleted,
    kept: [...before.kept, ...kept].slice(0, KEPT_NAMED_MAX),
    keptCount: before.keptCount + kept.length,
  };
}

/** @returns the unused aliases, and the addresses of the others, which stay */
async function lockMade(
  { keys }: StoreContext,
  trx: InTransaction,
  { made, userId }: { made: readonly ImportRow[]; userId: string },
) {
  const ids = made.flatMap(({ aliasId }) => aliasId ?? []);
  const rows = await trx
    .selectFrom("alias")
    .select(["id", "fresh", "address_index", "sealed"])
    .where("id", "=", anyOfIds(ids))
    .where("user_id", "=", userId)
    .orderBy("id")
    .forUpdate()
    .execute();
  const { unused = [], used = [] } = Object.groupBy(rows, ({ fresh }) => (fresh === null ? "used" : "unused"));
  const kept = used.map(({ id, sealed }) => {
    const { name, domain } = keys.open<AliasDocument>("alias", id, sealed);
    return aliasAddress(name, domain);
  });
  return { unused, kept };
}

/** Aliases deleted per statement, which blocks the event loop while the database checks foreign keys. */
const DELETED_AT_ONCE = 125;

async function deleteMailOf(trx: InTransaction, aliasIds: readonly string[]): Promise<string[]> {
  if (aliasIds.length === 0) return [];
  const messages = await trx
    .selectFrom("message")
    .select("id")
    .where("id", "in", (query) =>
      query.selectFrom("delivery").select("message_id").where("alias_id", "=", anyOfIds(aliasIds)),
    )
    .orderBy("id")
    .forUpdate()
    .execute();
  for (let from = 0; from < aliasIds.length; from += DELETED_AT_ONCE) {
    const some = aliasIds.slice(from, from + DELETED_AT_ONCE);
    await trx.deleteFrom("alias").where("id", "=", anyOfIds(some)).execute();
    await nextTurn();
  }
  return deleteFinishedMessages(
    trx,
    messages.map((row) => row.id),
  );
}

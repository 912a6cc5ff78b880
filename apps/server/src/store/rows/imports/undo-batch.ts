/**
 * Deletes what one batch of an import made and nobody changed since. The addresses are free again at once, instead of
 * being held for 30 days like those of other deleted aliases: the hold keeps others from getting mail that is meant for
 * a former owner, but these addresses existed for an hour at most, and thousands of names that a mistaken import took
 * would stay blocked for everybody. An address that the account had given up before the import is held again.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { aliasAddress } from "../../../core/alias/alias.ts";
import { type BatchOutcome, type ImportRow, type ImportSummary, KEPT_NAMED_MAX } from "../../../core/import/import.ts";
import type { InTransaction } from "../../database.ts";
import type { StoreContext } from "../../store-context.ts";
import { type AliasDocument, toAlias } from "../aliases/alias-document.ts";
import { anyOfIds } from "../any-of.ts";
import { deleteFinishedMessages } from "../owned-mail.ts";
import { type ImportStoreParts, lockImport, nextOpenBatch, openBatch, sealBatch, toImport } from "./import-rows.ts";

/**
 * Undoes the import's next batch.
 * @returns `null` when the import is deleted or not being undone
 */
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
  const made = rows.filter((it) => it.made);
  const { deleted, kept } = await deleteUnchanged(context, trx, {
    made,
    userId: row.user_id,
    label: now.summary.label,
  });
  const orphans = await deleteMailOf(trx, deleted);
  const gone = new Set(deleted);
  await released.holdAll(trx, reclaimedOf(context, made, gone), row.user_id);
  if (deleted.length > 0) await signals.announceRoute(trx, deleted);
  if (batch !== undefined) {
    const left = rows.map((it) => (gone.has(it.aliasId ?? "") ? { ...it, made: false } : it));
    const sealed = sealBatch(keys, batch.id, left);
    await trx.updateTable("alias_import_batch").set({ is_open: false, sealed }).where("id", "=", batch.id).execute();
  }
  const summary = summaryAfter(now.summary, { made: made.length, deleted: deleted.length, kept });
  const isMore = (await nextOpenBatch(trx, importId)) !== undefined;
  const state = isMore ? ("undoing" as const) : ("undone" as const);
  const changed_at = isMore ? row.changed_at : clock.now();
  const sealed = keys.seal("alias_import", importId, summary);
  await trx.updateTable("alias_import").set({ state, changed_at, sealed }).where("id", "=", importId).execute();
  return { outcome: { import: { ...now, state, changedAt: changed_at, summary }, isMore }, deleted, orphans };
}

/** Hashes of the deleted addresses that were held for the account before the import. */
function reclaimedOf({ keys }: StoreContext, made: readonly ImportRow[], gone: ReadonlySet<string>): Buffer[] {
  return made.flatMap(({ alias, aliasId, isReclaimed }) =>
    alias !== null && isReclaimed === true && gone.has(aliasId ?? "")
      ? [keys.blindIndex("alias.address", aliasAddress(alias.name, alias.domain))]
      : [],
  );
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

/**
 * Finds the aliases that are still as the import created them, and locks all of the batch.
 * @returns ids of unchanged aliases, which are to be deleted, and addresses of changed ones, which stay
 */
async function deleteUnchanged(
  { keys }: StoreContext,
  trx: InTransaction,
  { made, userId, label }: { made: readonly ImportRow[]; userId: string; label: string | null },
): Promise<{ deleted: string[]; kept: string[] }> {
  const planned = new Map(made.flatMap((row) => (row.aliasId === null ? [] : [[row.aliasId, row] as const])));
  if (planned.size === 0) return { deleted: [], kept: [] };
  const ids = [...planned.keys()];
  const rows = await trx
    .selectFrom("alias")
    .selectAll()
    .where("id", "=", anyOfIds(ids))
    .where("user_id", "=", userId)
    .orderBy("id")
    .forUpdate()
    .execute();
  const used = await usedToSend(trx, ids);
  const [deleted, kept]: [string[], string[]] = [[], []];
  for (const row of rows) {
    const document = keys.open<AliasDocument>("alias", row.id, row.sealed);
    const alias = toAlias(row, document, new Set(document.labels));
    if (!used.has(row.id) && isAsMade(alias, { row: planned.get(row.id), label })) deleted.push(row.id);
    else kept.push(aliasAddress(alias.name, alias.domain));
  }
  return { deleted, kept };
}

/** Ids of those aliases that have SMTP credentials or composed messages, so that an undo must not delete them. */
async function usedToSend(trx: InTransaction, ids: readonly string[]): Promise<Set<string>> {
  const credentials = await trx
    .selectFrom("smtp_credential")
    .select("alias_id")
    .where("alias_id", "=", anyOfIds(ids))
    .execute();
  const jobs = await trx.selectFrom("email_job").select("alias_id").where("alias_id", "=", anyOfIds(ids)).execute();
  return new Set([...credentials, ...jobs].map((row) => row.alias_id ?? ""));
}

function isAsMade(
  alias: ReturnType<typeof toAlias>,
  { row, label }: { row: ImportRow | undefined; label: string | null },
): boolean {
  if (row === undefined || row.alias === null || alias.pinned) return false;
  if (alias.labels.join() !== (label ?? "")) return false;
  const { routing } = alias;
  const isActive = routing.state === "active";
  const destinations = isActive ? routing.destinations : routing.lastDestinations;
  return (
    alias.name === row.alias.name &&
    alias.domain === row.alias.domain &&
    alias.notes === row.notes &&
    alias.sealTo === "account" &&
    isActive === row.active &&
    JSON.stringify(destinations) === JSON.stringify(row.destinations)
  );
}

/**
 * Aliases deleted per statement. For each alias the database checks the tables that refer to it, and the embedded
 * database blocks the event loop during a statement.
 */
const DELETED_AT_ONCE = 125;

/**
 * Deletes aliases with their queued mail.
 * @returns ids of messages whose bodies may be deleted
 */
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

/** Creates the aliases of a batch in one transaction with its mark, so that it runs once, even after a kill. */
import { limits } from "@kauke/contract";
import { type Alias, type AliasToInsert, aliasAddress } from "../../../core/alias/alias.ts";
import {
  type AliasImport,
  type BatchOutcome,
  emptySummary,
  type ImportRow,
  type ImportSummary,
  importReasons,
  isToBeMade,
} from "../../../core/import/import.ts";
import type { AliasImportTable, Database, InTransaction } from "../../database.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";
import type { StoreContext } from "../../store-context.ts";
import type { ReleasedAddresses } from "../accounts/released-addresses.ts";
import { insertAliases } from "../aliases/insert-aliases.ts";
import { lockOwnDomains } from "../domains/lock-own-domains.ts";
import { wantNew } from "../provider-aliases.ts";
import { anyOfBytes } from "../sql-parts.ts";

interface Run {
  importId: string;
  toAlias(row: ImportRow): AliasToInsert | null;
}

export function runBatch(context: StoreContext, parts: ImportStoreParts, run: Run): Promise<BatchOutcome | null> {
  const { db, keys } = context;
  return db.transaction().execute(async (trx) => {
    const row = await lockImport(trx, run.importId);
    if (row?.state !== "running") return null;
    const now = toImport(keys, row);
    const batch = await nextOpenBatch(trx, run.importId);
    const rows = batch === undefined ? [] : openBatch(keys, batch);
    const handled = await makeRows(context, parts, { ...run, trx, rows, userId: row.user_id });
    if (batch !== undefined) {
      const sealed = sealBatch(keys, batch.id, handled);
      await trx.updateTable("alias_import_batch").set({ is_open: false, sealed }).where("id", "=", batch.id).execute();
    }
    const summary = summaryAfter(now.summary, rows, handled);
    const isMore = (await nextOpenBatch(trx, run.importId)) !== undefined;
    const state = isMore ? ("running" as const) : ("done" as const);
    const changed_at = isMore ? row.changed_at : context.clock.now();
    const sealed = keys.seal("alias_import", run.importId, summary);
    await trx.updateTable("alias_import").set({ state, changed_at, sealed }).where("id", "=", run.importId).execute();
    const aliasIds = handled.flatMap(({ made, aliasId }) => (made && aliasId !== null ? [aliasId] : []));
    await wantNew(context, trx, { userId: row.user_id, aliasIds });
    return { import: { ...now, state, changedAt: changed_at, summary }, isMore };
  });
}

function summaryAfter(before: ImportSummary, rows: readonly ImportRow[], handled: readonly ImportRow[]): ImportSummary {
  const counts = { ...before.counts };
  for (const row of rows) counts[row.result] -= 1;
  for (const row of handled) counts[row.result] += 1;
  const done = before.progress.done + rows.filter(isToBeMade).length;
  const made = before.made + handled.filter((row) => row.made).length;
  return { ...before, counts, made, progress: { ...before.progress, done } };
}

interface Making extends Run {
  trx: InTransaction;
  rows: readonly ImportRow[];
  userId: string;
}

/** @returns all rows of the batch, updated with their outcome */
async function makeRows(context: StoreContext, { released }: ImportStoreParts, making: Making): Promise<ImportRow[]> {
  const { trx, rows, userId, toAlias } = making;
  const wanted = rows.flatMap((row) => (isToBeMade(row) && !row.made ? (toAlias(row) ?? []) : []));
  if (wanted.length === 0) return [...rows];
  const domainIds = await lockOwnDomains(context, trx, { userId, domains: wanted.map(({ domain }) => domain) });
  const { usable = [], unusable = [] } = Object.groupBy(wanted, ({ isOnOwnDomain, domain }) =>
    isOnOwnDomain && !domainIds.has(domain) ? "unusable" : "usable",
  );
  const room = Math.max(0, limits.aliasesMax - (await countAliases(trx, userId)));
  const fitting = usable.slice(0, room);
  const otherNames = new Map(rows.map(({ aliasId, unchecked }) => [aliasId, [...(unchecked?.names ?? [])]]));
  const made = await insertByTurns(context, { trx, released, aliases: fitting, domainIds, otherNames });
  const missed = fitting.filter(({ id }) => !made.has(id));
  const own = missed.length === 0 ? new Set<string>() : await ownedBy(context, { trx, userId, aliases: missed });
  const over = new Set(usable.slice(room).map(({ id }) => id));
  const nowhere = new Set(unusable.map(({ id }) => id));
  const missing = new Set(missed.map(({ id }) => id));
  return rows.map((row) => {
    const id = row.aliasId ?? "";
    const alias = made.get(id);
    if (alias !== undefined) return madeRow(row, alias);
    if (over.has(id)) return refused(row, "over_limit", `An account holds ${limits.aliasesMax} aliases at most.`);
    if (nowhere.has(id)) return refused(row, "invalid", importReasons.domainUnusable);
    if (own.has(id) && row.unchecked?.result !== "twin") return existing(row);
    return missing.has(id) ? refused(row, "taken", reasonOfTaken(row)) : row;
  });
}

/** Inserts aliases whose address is free, then retries the others with their next name. */
async function insertByTurns(
  context: StoreContext,
  { otherNames, ...inserting }: Parameters<typeof insertAliases>[1] & { otherNames: Map<string | null, string[]> },
): Promise<Map<string, Alias>> {
  const made = new Map<string, Alias>();
  let open = inserting.aliases;
  while (open.length > 0) {
    const inserted = await insertAliases(context, { ...inserting, aliases: open });
    for (const alias of open) if (inserted.has(alias.id)) made.set(alias.id, alias);
    open = open.flatMap((alias) => {
      const name = made.has(alias.id) ? undefined : otherNames.get(alias.id)?.shift();
      return name === undefined ? [] : [{ ...alias, name }];
    });
  }
  return made;
}

function madeRow(row: ImportRow, { name, domain }: Alias): ImportRow {
  const { result, reason } = row.unchecked ?? row;
  return { ...row, result, reason, alias: { name, domain }, made: true };
}

function reasonOfTaken({ unchecked }: ImportRow): string {
  if (unchecked === undefined) return "Somebody else has taken this address since the dry run.";
  return unchecked.result === "twin" ? importReasons.noFreeName : importReasons.taken;
}

function refused(row: ImportRow, result: ImportRow["result"], reason: string): ImportRow {
  return { ...row, result, reason, alias: null, aliasId: null };
}

function existing(row: ImportRow): ImportRow {
  return { ...row, aliasId: null, result: "exists", reason: "You have it already." };
}

async function countAliases(trx: InTransaction, userId: string): Promise<number> {
  const mine = trx.selectFrom("alias").where("user_id", "=", userId);
  return (await mine.select((row) => row.fn.countAll<number>().as("count")).executeTakeFirstOrThrow()).count;
}

async function ownedBy(
  { keys }: StoreContext,
  { trx, userId, aliases }: { trx: InTransaction; userId: string; aliases: readonly Alias[] },
): Promise<Set<string>> {
  const byIndex = new Map(
    aliases.map(({ id, name, domain }) => [keys.blindIndex("alias.address", aliasAddress(name, domain)), id] as const),
  );
  const found = await trx
    .selectFrom("alias")
    .select("address_index")
    .where("user_id", "=", userId)
    .where("address_index", "=", anyOfBytes([...byIndex.keys()]))
    .execute();
  const owned = new Set(found.map((row) => row.address_index.toString("hex")));
  return new Set([...byIndex].flatMap(([index, id]) => (owned.has(index.toString("hex")) ? [id] : [])));
}

export interface ImportStoreParts {
  released: ReleasedAddresses;
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

/** Summaries of an earlier version lack some counts. */
function openSummary(keys: ServerKeys, { id, sealed }: Pick<ImportColumns, "id" | "sealed">): ImportSummary {
  const summary = keys.open<ImportSummary>("alias_import", id, sealed);
  return { ...summary, counts: { ...emptySummary(summary).counts, ...summary.counts } };
}

/** Locks the account before the import, as the deletion of an account does. */
export async function lockImport(trx: InTransaction, importId: string) {
  await trx
    .selectFrom("user")
    .select("id")
    .where("id", "=", (query) => query.selectFrom("alias_import").select("user_id").where("id", "=", importId))
    .forUpdate()
    .execute();
  return trx.selectFrom("alias_import").select(importColumns).where("id", "=", importId).forUpdate().executeTakeFirst();
}

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

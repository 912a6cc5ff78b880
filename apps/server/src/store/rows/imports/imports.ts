import { limits } from "@kauke/contract";
import { sql } from "kysely";
import { AppError } from "../../../core/app-error.ts";
import { type ImportRow, type ImportStore, isToBeMade } from "../../../core/import/import.ts";
import type { InTransaction } from "../../database.ts";
import { FOREIGN_KEY_VIOLATION, isDatabaseError } from "../../database-error.ts";
import type { StoreContext } from "../../store-context.ts";
import {
  type ImportStoreParts,
  importColumns,
  lockImport,
  openBatch,
  runBatch,
  sealBatch,
  toImport,
} from "./run-batch.ts";
import { undoBatch } from "./undo-batch.ts";

const gone = () => new AppError("not_found", { message: "Import not found" });

export function importStore(context: StoreContext, parts: ImportStoreParts): ImportStore {
  const { db, keys } = context;
  const shown = () => db.selectFrom("alias_import").select(importColumns).where("state", "!=", "reading");
  return {
    list: async (userId) => {
      const rows = await shown().where("user_id", "=", userId).orderBy("created_at", "desc").orderBy("id").execute();
      return rows.map((row) => toImport(keys, row));
    },
    find: async (userId, importId) => {
      const row = await shown().where("user_id", "=", userId).where("id", "=", importId).executeTakeFirst();
      return row === undefined ? null : toImport(keys, row);
    },
    begin: (begun) => begin(context, begun),
    addBatch: (importId, position, rows) => addBatch(context, { importId, position, rows }),
    finishReading: async (importId, summary, row_count) => {
      const row = await db
        .updateTable("alias_import")
        .set({ state: "planned", row_count, sealed: keys.seal("alias_import", importId, summary) })
        .where("id", "=", importId)
        .returning(importColumns)
        .executeTakeFirst();
      if (row === undefined) throw gone();
      return toImport(keys, row);
    },
    batch: async (importId, position) => {
      const of = db.selectFrom("alias_import_batch").select(["id", "sealed"]).where("import_id", "=", importId);
      const batch = await of.where("batch_index", "=", position).executeTakeFirst();
      return batch === undefined ? null : openBatch(keys, batch);
    },
    change: (userId, importId, decide) => change(context, { userId, importId, decide }),
    lease: (importId, holder, until) => lease(context, { importId, holder, until }),
    release: async (importId, holder) => {
      const mine = db.updateTable("alias_import").set({ leased_by: null, leased_until: null });
      await mine.where("id", "=", importId).where("leased_by", "=", holder).execute();
    },
    runBatch: (importId, toAlias) => runBatch(context, parts, { importId, toAlias }),
    undoBatch: (importId) => undoBatch(context, parts, importId),
    delete: async (userId, importId) => {
      const mine = db.deleteFrom("alias_import").where("user_id", "=", userId).where("id", "=", importId);
      return (await mine.executeTakeFirst()).numDeletedRows > 0n;
    },
    deleteBefore: async (before) => {
      const result = await db.deleteFrom("alias_import").where("changed_at", "<=", before).executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}

interface NewBatch {
  importId: string;
  position: number;
  rows: readonly ImportRow[];
}

async function addBatch({ db, keys }: StoreContext, { importId, position, rows }: NewBatch): Promise<void> {
  const id = batchId(importId, position);
  const sealed = sealBatch(keys, id, rows);
  const row = { id, import_id: importId, batch_index: position, is_open: rows.some(isToBeMade), sealed };
  try {
    await db.insertInto("alias_import_batch").values(row).execute();
  } catch (error) {
    throw isDatabaseError(error, FOREIGN_KEY_VIOLATION) ? gone() : error;
  }
}

interface Lease {
  importId: string;
  holder: string;
  until: Date;
}

async function lease({ db, clock }: StoreContext, { importId, holder, until }: Lease): Promise<boolean> {
  const result = await db
    .updateTable("alias_import")
    .set({ leased_by: holder, leased_until: until })
    .where("id", "=", importId)
    .where("state", "in", ["running", "undoing"])
    .where((row) =>
      row.or([row("leased_by", "is", null), row("leased_by", "=", holder), row("leased_until", "<=", clock.now())]),
    )
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Derives a batch's id from its position, so that storing it twice violates the primary key. */
function batchId(importId: string, position: number): string {
  const tail = (BigInt(`0x${importId.slice(24)}`) + BigInt(position + 1)) & 0xffff_ffff_ffffn;
  return `${importId.slice(0, 24)}${tail.toString(16).padStart(12, "0")}`;
}

async function begin({ db, keys }: StoreContext, begun: Parameters<ImportStore["begin"]>[0]): Promise<void> {
  const { id, userId, state, createdAt, changedAt, rows, summary } = begun;
  await db.transaction().execute(async (trx) => {
    await lockAccount(trx, userId);
    const mine = trx.deleteFrom("alias_import").where("user_id", "=", userId);
    await mine.where("state", "in", ["reading", "planned"]).execute();
    const stored = await trx
      .selectFrom("alias_import")
      .select(sql<number>`coalesce(sum(row_count), 0)::integer`.as("rows"))
      .where("user_id", "=", userId)
      .executeTakeFirstOrThrow();
    if (stored.rows > limits.importStoredRowsMax - limits.importRowsMax)
      throw new AppError("invalid", { message: "Too many imported rows are stored. Please delete an earlier import." });
    const row = { id, user_id: userId, state, row_count: rows, created_at: createdAt, changed_at: changedAt };
    const sealed = keys.seal("alias_import", id, summary);
    await trx
      .insertInto("alias_import")
      .values({ ...row, leased_by: null, leased_until: null, sealed })
      .execute();
  });
}

/** @throws AppError `not_signed_in` when the account no longer exists */
async function lockAccount(trx: InTransaction, userId: string): Promise<void> {
  const row = await trx.selectFrom("user").select("id").where("id", "=", userId).forUpdate().executeTakeFirst();
  if (row === undefined) throw new AppError("not_signed_in");
}

interface Change {
  userId: string;
  importId: string;
  decide: Parameters<ImportStore["change"]>[2];
}

function change({ db, keys, clock }: StoreContext, { userId, importId, decide }: Change) {
  return db.transaction().execute(async (trx) => {
    await lockAccount(trx, userId);
    const row = await lockImport(trx, importId);
    if (row === undefined || row.user_id !== userId || row.state === "reading") return null;
    const others = await trx
      .selectFrom("alias_import")
      .select("state")
      .where("user_id", "=", userId)
      .where("id", "!=", importId)
      .execute();
    const now = toImport(keys, row);
    const next = decide(
      now,
      others.map((other) => other.state),
    );
    if (next === null) return now;
    const changed = { state: next.state, changed_at: clock.now() };
    const sealed = keys.seal("alias_import", importId, next.summary);
    await trx
      .updateTable("alias_import")
      .set({ ...changed, sealed })
      .where("id", "=", importId)
      .execute();
    if (next.state === "undoing") await openMadeBatches(trx, importId);
    return { ...now, state: next.state, changedAt: changed.changed_at, summary: next.summary };
  });
}

/** Opens all batches for the undo; those that created no alias are handled quickly. */
async function openMadeBatches(trx: InTransaction, importId: string): Promise<void> {
  await trx.updateTable("alias_import_batch").set({ is_open: true }).where("import_id", "=", importId).execute();
}

/** Changes and deletes aliases, 500 per transaction; cached routes are dropped before the next transaction. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ErrorCode } from "@kauke/contract";
import { sql } from "kysely";
import type { Alias, ManyAliasesChange, ManyChanged } from "../../../core/alias/alias.ts";
import { AppError } from "../../../core/app-error.ts";
import type { AliasTable, InTransaction } from "../../database.ts";
import type { StoreContext } from "../../store-context.ts";
import type { ReleasedAddresses, ReleasedFrom } from "../accounts/released-addresses.ts";
import {
  cancelMessages,
  deleteFinishedMessages,
  detachLeasedMail,
  lockComposed,
  lockMessagesOf,
} from "../job-records.ts";
import { labelIdsOf, refuseUnknownLabels } from "../labels.ts";
import { deletePeopleOf } from "../reply-paths.ts";
import { anyOfIds, hexOf } from "../sql-parts.ts";
import { type AliasDocument, documentOfChange, toAlias } from "./alias-document.ts";

const ALIASES_AT_ONCE = 500;

export interface AliasStoreParts {
  released: ReleasedAddresses;
  forgetBodies(messageIds: readonly string[]): Promise<void>;
}

export interface Batch {
  userId: string;
  aliasIds: readonly string[];
}

export interface Done {
  failed: Map<string, ErrorCode>;
  hasChangedRoutes: boolean;
  messagesDone: readonly string[];
}

export function updateMany(
  context: StoreContext,
  parts: AliasStoreParts,
  { change, ...all }: Batch & { change: (alias: Alias) => ManyAliasesChange },
): Promise<ManyChanged> {
  return inBatches(context, parts, all, (trx, batch) => updateBatch(context, trx, { ...batch, change }));
}

export function deleteMany(
  context: StoreContext,
  parts: AliasStoreParts,
  { network, ...all }: Batch & { network: ReleasedFrom },
): Promise<ManyChanged> {
  return inBatches(context, parts, all, async (trx, batch) => deleteBatch(context, parts, { ...batch, trx, network }), {
    before: async (batch) => {
      const waiting = await waitingAmong(context, parts, batch);
      const aliasIds = batch.aliasIds.filter((id) => !waiting.has(id));
      await deletePeopleOf(context.db, { ...batch, aliasIds });
      return waiting;
    },
  });
}

/** Aliases whose addresses the account may not release now. @param promised room that other deletions will need */
export async function waitingAmong(
  { db }: StoreContext,
  { released }: AliasStoreParts,
  { userId, aliasIds }: Batch,
  promised = 0,
): Promise<Set<string>> {
  const mine = db.selectFrom("alias").select(["id", "fresh"]).where("id", "=", anyOfIds(aliasIds));
  const rows = await mine.where("user_id", "=", userId).execute();
  const used = new Set(idsOf(rows.filter(({ fresh }) => fresh !== "new")));
  const room = Math.max(0, (await released.room(db, userId)) - promised);
  return new Set(aliasIds.filter((id) => used.has(id)).slice(room));
}

export async function inBatches(
  { db, signals }: StoreContext,
  { forgetBodies }: AliasStoreParts,
  { userId, aliasIds }: Batch,
  work: (trx: InTransaction, batch: Batch) => Promise<Done>,
  { before = async () => none }: { before?: (batch: Batch) => Promise<ReadonlySet<string>> } = {},
): Promise<ManyChanged> {
  const failed = new Map<string, ErrorCode>();
  for (let from = 0; from < aliasIds.length; from += ALIASES_AT_ONCE) {
    const batch = { userId, aliasIds: aliasIds.slice(from, from + ALIASES_AT_ONCE) };
    const waiting = await before(batch);
    for (const id of waiting) failed.set(id, "rate_limited");
    const rest = { userId, aliasIds: batch.aliasIds.filter((id) => !waiting.has(id)) };
    const done = await db.transaction().execute((trx) => work(trx, rest));
    if (done.hasChangedRoutes) await signals.routeChanged({ userId });
    await forgetBodies(done.messagesDone);
    for (const [id, code] of done.failed) failed.set(id, code);
    await nextTurn();
  }
  return { changed: aliasIds.length - failed.size, failed };
}

const none: ReadonlySet<string> = new Set();

interface ChangedRow {
  id: string;
  active: boolean;
  sealed: Buffer;
  change: ManyAliasesChange;
}

async function updateBatch(
  context: StoreContext,
  trx: InTransaction,
  { change, ...batch }: Batch & { change: (alias: Alias) => ManyAliasesChange },
): Promise<Done> {
  const rows = await lockBatch(trx, batch);
  const failed = missingOf(batch, rows);
  const changed = await changedRows(context, trx, { userId: batch.userId, rows, change, failed });
  if (changed.length > 0) await writeRows(trx, changed);
  const rerouted = changed.filter((row) => row.change.routing !== undefined);
  const paused = idsOf(rerouted.filter((row) => !row.active));
  const messageIds = paused.length === 0 ? [] : await lockComposed(trx, { column: "alias_id", id: paused });
  const messagesDone = await cancelMessages(context, trx, { messageIds });
  if (rerouted.length > 0) await context.signals.announceRoute(trx, idsOf(rerouted));
  return { failed, hasChangedRoutes: rerouted.length > 0, messagesDone };
}

interface ToChange {
  userId: string;
  rows: readonly AliasRow[];
  change: (alias: Alias) => ManyAliasesChange;
  failed: Map<string, ErrorCode>;
}

async function changedRows(
  { keys }: StoreContext,
  trx: InTransaction,
  { userId, rows, change, failed }: ToChange,
): Promise<ChangedRow[]> {
  const known = await labelIdsOf(trx, userId);
  return rows.flatMap((row) => {
    const before = keys.open<AliasDocument>("alias", row.id, row.sealed);
    const update = changeOrCode(() => {
      const wanted = change(toAlias(row, before, known));
      refuseUnknownLabels(known, wanted.labels);
      return wanted;
    });
    if (typeof update === "string") failed.set(row.id, update);
    if (typeof update === "string" || Object.keys(update).length === 0) return [];
    const active = update.routing === undefined ? row.active : update.routing.state === "active";
    const sealed = keys.seal("alias", row.id, documentOfChange(before, update));
    return [{ id: row.id, active, sealed, change: update }];
  });
}

function changeOrCode(decide: () => ManyAliasesChange): ManyAliasesChange | ErrorCode {
  try {
    return decide();
  } catch (thrown) {
    if (thrown instanceof AppError) return thrown.code;
    throw thrown;
  }
}

/** Passes bytes as hex, because arrays of bytea are slow. */
async function writeRows(trx: InTransaction, rows: readonly ChangedRow[]): Promise<void> {
  await sql`
    UPDATE alias SET active = given.active, sealed = decode(given.sealed, 'hex'), fresh = NULL
    FROM unnest(${idsOf(rows)}::uuid[], ${rows.map(({ active }) => active)}::boolean[],
      ${hexOf(rows.map(({ sealed }) => sealed))}::text[]) AS given (id, active, sealed)
    WHERE alias.id = given.id`.execute(trx);
}

async function deleteBatch(
  context: StoreContext,
  { released }: AliasStoreParts,
  { trx, network, ...batch }: Batch & { trx: InTransaction; network: ReleasedFrom },
): Promise<Done> {
  const rows = await lockBatch(trx, batch);
  const failed = missingOf(batch, rows);
  if (rows.length === 0) return { failed, hasChangedRoutes: false, messagesDone: [] };
  const addresses = rows.map((row) => ({ index: row.address_index, isUnused: row.fresh === "new" }));
  await released.release(trx, { formerUserId: batch.userId, network, addresses });
  const messagesDone = await deleteLocked(context, trx, idsOf(rows));
  return { failed, hasChangedRoutes: true, messagesDone };
}

/** Deletes aliases, which the caller has locked, without a reservation. @returns messages whose bodies it deletes */
export async function deleteLocked(
  context: StoreContext,
  trx: InTransaction,
  aliasIds: readonly string[],
): Promise<string[]> {
  const messageIds = await lockMessagesOf(trx, { column: "alias_id", id: aliasIds });
  const composed = await lockComposed(trx, { column: "alias_id", id: aliasIds });
  const cancelled = await cancelMessages(context, trx, { messageIds: composed });
  await detachLeasedMail(trx, aliasIds);
  await trx.deleteFrom("alias").where("id", "=", anyOfIds(aliasIds)).execute();
  const finished = await deleteFinishedMessages(trx, messageIds);
  await context.signals.announceRoute(trx, aliasIds);
  return [...cancelled, ...finished];
}

type AliasRow = Awaited<ReturnType<typeof lockBatch>>[number];

/** Locks aliases in the order of their ids, so that batches can't deadlock. */
function lockBatch(trx: InTransaction, { userId, aliasIds }: Batch) {
  return trx
    .selectFrom("alias")
    .selectAll()
    .where("id", "=", anyOfIds(aliasIds))
    .where("user_id", "=", userId)
    .orderBy("id")
    .forUpdate()
    .execute();
}

export function missingOf({ aliasIds }: Batch, rows: readonly Pick<AliasTable, "id">[]): Map<string, ErrorCode> {
  const found = new Set(idsOf(rows));
  return new Map(aliasIds.filter((id) => !found.has(id)).map((id) => [id, "not_found"]));
}

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

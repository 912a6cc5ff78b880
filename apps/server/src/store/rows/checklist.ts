/** The checklist in sealed documents of up to 100 rows, so that a tick reseals one. Row numbers are never reused. */
import { randomUUID } from "node:crypto";
import type { ChecklistChange, NewChecklistRow } from "@kauke/contract";
import { sql } from "kysely";
import type { ChecklistRow, ChecklistStore } from "../../core/checklist.ts";
import { mapInSlices } from "../../runtime/fair-queue/slices.ts";
import type { ChecklistTable, InTransaction } from "../database.ts";
import type { StoreContext } from "../store-context.ts";

const ROWS_PER_DOCUMENT = 100;

interface StoredRow extends NewChecklistRow {
  number: number;
  done: boolean;
}

interface ChecklistDocument {
  next: number;
  rows: StoredRow[];
}

interface Part {
  id: string;
  position: number;
  document: ChecklistDocument;
}

export function checklistStore(context: StoreContext): ChecklistStore {
  const { db } = context;
  return {
    async list(userId) {
      const rows = await db
        .selectFrom("checklist")
        .selectAll()
        .where("user_id", "=", userId)
        .orderBy("position")
        .execute();
      const parts = await mapInSlices(rows, (row) => partOf(context, row));
      return parts.flatMap(({ id, document }) => document.rows.map(shownIn(id)));
    },
    add: (userId, rows, max) =>
      db.transaction().execute(async (trx) => {
        // The account is locked, so that two concurrent calls do not add the same sites.
        await trx.selectFrom("user").select("id").where("id", "=", userId).forNoKeyUpdate().execute();
        const parts = await lockedParts(context, trx, { userId });
        const fresh = unknownRows(parts, rows);
        const count = parts.reduce((sum, { document }) => sum + document.rows.length, 0);
        if (count + fresh.length > max) return "full";
        const { changed, added } = withRows(parts, fresh);
        await updateParts(context, trx, changed);
        await insertParts(context, trx, { userId, parts: added });
        return fresh.length;
      }),
    change: (userId, changes) =>
      db.transaction().execute(async (trx) => {
        const byPart = Map.groupBy(changes, ({ id }) => id.slice(0, id.indexOf(".")));
        const parts = await lockedParts(context, trx, { userId, ids: [...byPart.keys()] });
        const results = parts.map((part) => changedPart(part, byPart.get(part.id) ?? []));
        await updateParts(
          context,
          trx,
          results.flatMap(({ part, count }) => (count > 0 && part.document.rows.length > 0 ? [part] : [])),
        );
        await deleteParts(
          trx,
          results.flatMap(({ part }) => (part.document.rows.length === 0 ? [part.id] : [])),
        );
        return results.reduce((sum, { count }) => sum + count, 0);
      }),
    async clear(userId) {
      await db.deleteFrom("checklist").where("user_id", "=", userId).execute();
    },
  };
}

const partOf = ({ keys }: StoreContext, { id, position, sealed }: ChecklistTable): Part => ({
  id,
  position,
  document: keys.open<ChecklistDocument>("checklist", id, sealed),
});

const shownIn =
  (partId: string) =>
  ({ number, ...row }: StoredRow): ChecklistRow => ({ id: `${partId}.${number}`, ...row });

async function lockedParts(
  context: StoreContext,
  trx: InTransaction,
  { userId, ids }: { userId: string; ids?: readonly string[] },
): Promise<Part[]> {
  const mine = trx.selectFrom("checklist").selectAll().where("user_id", "=", userId);
  const wanted = ids === undefined ? mine : mine.where("id", "in", ids);
  const rows = await wanted.orderBy("position").forUpdate().execute();
  return rows.map((row) => partOf(context, row));
}

const keyOf = ({ site, oldAddress }: NewChecklistRow) => `${site.toLowerCase()}\0${oldAddress.toLowerCase()}`;

function unknownRows(parts: readonly Part[], rows: readonly NewChecklistRow[]): NewChecklistRow[] {
  const known = new Set(parts.flatMap(({ document }) => document.rows.map(keyOf)));
  return rows.filter((row) => {
    const key = keyOf(row);
    return known.has(key) ? false : known.add(key);
  });
}

function withRows(parts: readonly Part[], rows: readonly NewChecklistRow[]): { changed: Part[]; added: Part[] } {
  const last = parts.at(-1);
  const room = last === undefined ? 0 : Math.min(ROWS_PER_DOCUMENT - last.document.rows.length, rows.length);
  const changed =
    last === undefined || room === 0 ? [] : [{ ...last, document: joined(last.document, rows.slice(0, room)) }];
  const added: Part[] = [];
  for (let from = room; from < rows.length; from += ROWS_PER_DOCUMENT)
    added.push({
      id: randomUUID(),
      position: (last?.position ?? -1) + 1 + added.length,
      document: joined({ next: 0, rows: [] }, rows.slice(from, from + ROWS_PER_DOCUMENT)),
    });
  return { changed, added };
}

function joined({ next, rows }: ChecklistDocument, more: readonly NewChecklistRow[]): ChecklistDocument {
  const numbered = more.map(({ site, oldAddress, aliasId }, index) => ({
    number: next + index,
    site,
    oldAddress,
    aliasId,
    done: false,
  }));
  return { next: next + more.length, rows: [...rows, ...numbered] };
}

function changedPart({ document, ...part }: Part, changes: readonly ChecklistChange[]): { part: Part; count: number } {
  const byNumber = new Map(changes.map((change) => [Number(change.id.slice(change.id.indexOf(".") + 1)), change]));
  const count = document.rows.filter(({ number }) => byNumber.has(number)).length;
  const rows = document.rows.flatMap((row) => {
    const { done = row.done, aliasId = row.aliasId, remove = false } = byNumber.get(row.number) ?? {};
    return remove ? [] : [{ ...row, done, aliasId }];
  });
  return { part: { ...part, document: { ...document, rows } }, count };
}

async function updateParts({ keys }: StoreContext, trx: InTransaction, parts: readonly Part[]): Promise<void> {
  if (parts.length === 0) return;
  const values = parts.map(({ id, document }) => sql`(${id}::uuid, ${keys.seal("checklist", id, document)}::bytea)`);
  await sql`UPDATE checklist AS old SET sealed = anew.sealed FROM (VALUES ${sql.join(values)}) AS anew(id, sealed)
    WHERE old.id = anew.id`.execute(trx);
}

async function insertParts(
  { keys }: StoreContext,
  trx: InTransaction,
  { userId, parts }: { userId: string; parts: readonly Part[] },
): Promise<void> {
  if (parts.length === 0) return;
  const rows = parts.map(({ id, position, document }) => {
    return { id, user_id: userId, position, sealed: keys.seal("checklist", id, document) };
  });
  await trx.insertInto("checklist").values(rows).execute();
}

async function deleteParts(trx: InTransaction, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await trx.deleteFrom("checklist").where("id", "in", ids).execute();
}

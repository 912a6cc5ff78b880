/** Labels. Names are compared in memory under the account's lock, so that no hash of them is stored. */
import { type LabelColour, labelMessages, sameLabelName } from "@kauke/contract";
import { fieldError } from "../../core/app-error.ts";
import type { Label, LabelStore } from "../../core/label.ts";
import type { Database, InTransaction, LabelTable } from "../database.ts";
import type { ServerKeys } from "../sealing/server-keys.ts";
import type { StoreContext } from "../store-context.ts";
import type { AliasDocument } from "./aliases/alias-document.ts";

interface LabelDocument {
  name: string;
  colour: LabelColour;
}

export function labelStore({ db, keys }: StoreContext): LabelStore {
  return {
    listForUser: (userId) => listLabels(db, keys, userId),
    insert: (label, max) =>
      inTurn(db, label.userId, async (trx) => {
        const others = await listLabels(trx, keys, label.userId);
        if (others.length >= max) return "too_many";
        if (isNameTaken(others, label)) return "name_taken";
        const { id, userId: user_id, createdAt: created_at } = label;
        await trx
          .insertInto("label")
          .values({ id, user_id, created_at, sealed: sealLabel(keys, label) })
          .execute();
        return null;
      }),
    update: (userId, labelId, change) =>
      inTurn(db, userId, async (trx) => {
        const all = await listLabels(trx, keys, userId);
        const before = all.find(({ id }) => id === labelId);
        if (before === undefined) return null;
        const label = { ...before, name: change.name ?? before.name, colour: change.colour ?? before.colour };
        if (isNameTaken(all, label)) return "name_taken";
        await trx
          .updateTable("label")
          .set({ sealed: sealLabel(keys, label) })
          .where("id", "=", labelId)
          .execute();
        return label;
      }),
    delete: async (userId, labelId) => {
      const gone = db.deleteFrom("label").where("id", "=", labelId).where("user_id", "=", userId).returning("id");
      return (await gone.executeTakeFirst()) !== undefined;
    },
  };
}

function inTurn<T>(db: Database, userId: string, change: (trx: InTransaction) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (trx) => {
    await trx.selectFrom("user").select("id").where("id", "=", userId).forNoKeyUpdate().execute();
    return await change(trx);
  });
}

const isNameTaken = (labels: readonly Label[], { id, name }: Label): boolean =>
  labels.some((other) => other.id !== id && sameLabelName(other.name) === sameLabelName(name));

async function listLabels(db: Pick<Database, "selectFrom">, keys: ServerKeys, userId: string): Promise<Label[]> {
  const rows = await db.selectFrom("label").selectAll().where("user_id", "=", userId).execute();
  return rows.map((row) => toLabel(keys, row)).sort((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1));
}

function toLabel(keys: ServerKeys, { id, user_id, created_at, sealed }: LabelTable): Label {
  return { id, userId: user_id, createdAt: created_at, ...keys.open<LabelDocument>("label", id, sealed) };
}

function sealLabel(keys: ServerKeys, { id, name, colour }: Label): Buffer {
  const document: LabelDocument = { name, colour };
  return keys.seal("label", id, document);
}

export async function knownLabels(
  db: Pick<Database, "selectFrom">,
  userId: string,
  documents: readonly Pick<AliasDocument, "labels">[],
): Promise<ReadonlySet<string>> {
  return documents.some(({ labels = [] }) => labels.length > 0) ? await labelIdsOf(db, userId) : new Set();
}

export async function labelIdsOf(db: Pick<Database, "selectFrom">, userId: string): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom("label").select("id").where("user_id", "=", userId).execute();
  return new Set(rows.map(({ id }) => id));
}

/** @throws AppError `invalid` for labels that don't exist or belong to another account */
export function refuseUnknownLabels(known: ReadonlySet<string>, labels: readonly string[] = []): void {
  if (labels.some((id) => !known.has(id))) throw fieldError("labels", labelMessages.unknown);
}

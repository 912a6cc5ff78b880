/** Integer ids for clients, assigned under a lock on the account's counter, so each is used once. */
import { type RawBuilder, sql } from "kysely";
import { CLIENT_NUMBER_MAX, type ClientNumberKind, type ClientNumberStore } from "../../core/client-number.ts";
import type { Database, InTransaction } from "../database.ts";
import type { StoreContext } from "../store-context.ts";
import { anyOfIds } from "./sql-parts.ts";

interface Numbered {
  id: string;
  number: number;
}

interface KindTables {
  numbers: RawBuilder<unknown>;
  idColumn: RawBuilder<unknown>;
  items: RawBuilder<unknown>;
}

const tablesOf: Record<ClientNumberKind, KindTables> = {
  alias: { numbers: sql`alias_number`, idColumn: sql`alias_id`, items: sql`alias` },
  mailbox: { numbers: sql`mailbox_number`, idColumn: sql`mailbox_id`, items: sql`mailbox` },
};

export function clientNumberStore({ db }: Pick<StoreContext, "db">): ClientNumberStore {
  return {
    numbersOf: async (userId, kind, ids) => {
      const known = await readNumbers(db, { userId, kind, ids });
      if (ids.every((id) => known.has(id))) return known;
      return await db.transaction().execute((trx) => assignNumbers(trx, { userId, kind, ids }));
    },
    idOf: async (userId, kind, number) => {
      if (!Number.isInteger(number) || number < 1 || number > CLIENT_NUMBER_MAX) return null;
      const { numbers, idColumn } = tablesOf[kind];
      const { rows } = await sql<{ id: string }>`
        SELECT ${idColumn} AS id FROM ${numbers} WHERE user_id = ${userId} AND number = ${number}`.execute(db);
      return rows[0]?.id ?? null;
    },
  };
}

interface Wanted {
  userId: string;
  kind: ClientNumberKind;
  ids: readonly string[];
}

async function readNumbers(db: Database | InTransaction, { userId, kind, ids }: Wanted): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const { numbers, idColumn } = tablesOf[kind];
  const { rows } = await sql<Numbered>`
    SELECT ${idColumn} AS id, number FROM ${numbers}
    WHERE user_id = ${userId} AND ${idColumn} = ${anyOfIds(ids)}`.execute(db);
  return new Map(rows.map(({ id, number }) => [id, number]));
}

/** Locks account, counter and aliases in this order, as deletions do. */
async function assignNumbers(trx: InTransaction, { userId, kind, ids }: Wanted): Promise<Map<string, number>> {
  const account = trx.selectFrom("user").select("id").where("id", "=", userId).forKeyShare();
  if ((await account.executeTakeFirst()) === undefined) return new Map();
  await lockCounter(trx, userId, kind);
  const known = await readNumbers(trx, { userId, kind, ids });
  const owned = await lockItems(trx, { userId, kind, ids: ids.filter((id) => !known.has(id)) });
  const added = [...new Set(ids)].filter((id) => owned.has(id));
  if (added.length === 0) return known;
  const last = await advance(trx, { userId, kind, by: added.length });
  const rows = added.map((id, index) => ({ id, number: last - added.length + index + 1 }));
  const { numbers, idColumn } = tablesOf[kind];
  await sql`
    INSERT INTO ${numbers} (${idColumn}, user_id, number)
    SELECT id, ${userId}::uuid, number
    FROM unnest(${rows.map((row) => row.id)}::uuid[], ${rows.map((row) => row.number)}::integer[]) AS added (id, number)`.execute(
    trx,
  );
  for (const { id, number } of rows) known.set(id, number);
  return known;
}

async function lockCounter(trx: InTransaction, userId: string, kind: ClientNumberKind): Promise<void> {
  const start = trx.insertInto("client_number_last").values({ user_id: userId, kind, last: 0 });
  await start.onConflict((on) => on.columns(["user_id", "kind"]).doNothing()).execute();
  const counter = trx.selectFrom("client_number_last").select("last").where("user_id", "=", userId);
  await counter.where("kind", "=", kind).forUpdate().execute();
}

async function lockItems(trx: InTransaction, { userId, kind, ids }: Wanted): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM ${tablesOf[kind].items} WHERE user_id = ${userId} AND id = ${anyOfIds(ids)}
    ORDER BY id FOR KEY SHARE`.execute(trx);
  return new Set(rows.map((row) => row.id));
}

async function advance(
  trx: InTransaction,
  { userId, kind, by }: { userId: string; kind: ClientNumberKind; by: number },
): Promise<number> {
  const { last } = await trx
    .updateTable("client_number_last")
    .set((row) => ({ last: row("last", "+", by) }))
    .where("user_id", "=", userId)
    .where("kind", "=", kind)
    .returning("last")
    .executeTakeFirstOrThrow();
  return last;
}

/** Aliases of an account. Long lists are read in pages, each a turn of the caller, and cached (`list-cache.ts`). */

import { sql } from "kysely";
import type { Alias, AliasStore } from "../../../core/alias/alias.ts";
import { bounds } from "../../../limits/table.ts";
import { mapInSlices, nextLoopTurn } from "../../../runtime/fair-queue/slices.ts";
import type { Database } from "../../database.ts";
import { preparedQuery } from "../../prepared-query.ts";
import type { StoreContext } from "../../store-context.ts";
import { inPages } from "../accounts/export-rows.ts";
import { knownLabels } from "../labels.ts";
import { anyOfIds } from "../sql-parts.ts";
import { type AliasDocument, type AliasRow, toAlias } from "./alias-document.ts";
import { ListCache, type ListRead } from "./list-cache.ts";

/** Unsealing this many aliases takes some 4 ms. Shorter lists are not cached. */
const ROWS_AT_ONCE = 200;
/** A list of 10,000 aliases with a note and one destination has 4 MB. */
const cacheLimits = {
  allBytes: bounds.aliasLists.bytes,
  listBytes: bounds.aliasLists.listBytes,
  keptMs: bounds.aliasLists.forMs,
};

type ListReads = Pick<AliasStore, "listForUser" | "pagesForUser" | "listWithSmtp" | "find" | "findMany">;

export function aliasLists(context: StoreContext): ListReads {
  const { db } = context;
  const markOfUser = preparedQuery(db, markOf("").compile(db));
  const cache = new ListCache<Alias>(cacheLimits);
  return {
    async listForUser(userId) {
      const [mark] = await markOfUser([userId, userId]);
      const read = () => readAll(context, userId, pagesOf(context, userId));
      if (mark === undefined || mark.count <= ROWS_AT_ONCE) return (await read()).items;
      return cache.get(userId, JSON.stringify(mark), read);
    },
    async *pagesForUser(userId) {
      for await (const page of pagesOf(context, userId)) yield await toAliases(context, userId, page);
    },
    listWithSmtp: async (userId) => (await readAll(context, userId, pagesOf(context, userId, isSender))).items,
    find: async (userId, aliasId) => (await readSome(context, userId, [aliasId]))[0] ?? null,
    findMany: (userId, aliasIds) => readSome(context, userId, aliasIds),
  };
}

interface Mark {
  count: number;
  rows: string | null;
  labels: string | null;
}

/** Mark that every change of a list's aliases or labels alters, by `xmin`; costs a fortieth of reading the list. */
const markOf = (userId: string) => sql<Mark>`
  SELECT count(*)::integer AS count, bit_xor(uuid_hash_extended(id, xmin::text::bigint))::text AS rows,
    (SELECT bit_xor(uuid_hash_extended(label.id, 0))::text FROM label WHERE label.user_id = ${userId}::uuid) AS labels
  FROM alias WHERE user_id = ${userId}::uuid`;

interface OpenedRow {
  id: string;
  row: AliasRow;
  document: AliasDocument;
  bytes: number;
}

const ofUser = (db: Pick<Database, "selectFrom">, userId: string) =>
  db
    .selectFrom("alias")
    .select(["alias.id", "alias.user_id", "alias.active", "alias.created_at", "alias.sealed"])
    .select(["alias.seal_off", "alias.seal_key_id", "alias.delete_at"])
    .where("alias.user_id", "=", userId);

type AliasQuery = ReturnType<typeof ofUser>;

const isSender = (query: AliasQuery) =>
  query
    .where("alias.active", "=", true)
    .where((row) =>
      row.exists(
        row
          .selectFrom("smtp_credential")
          .select("smtp_credential.id")
          .whereRef("smtp_credential.alias_id", "=", "alias.id")
          .where("smtp_credential.active", "=", true),
      ),
    );

function pagesOf(
  { db, keys }: StoreContext,
  userId: string,
  only = (query: AliasQuery) => query,
): AsyncGenerator<OpenedRow[]> {
  return inPages({
    page: async (after, limit) => {
      if (after > "0") await nextLoopTurn();
      // A page is unsealed while the connection is held, so that its time is charged to the caller.
      return db.connection().execute(async (connection) => {
        const query = only(ofUser(connection, userId)).where("alias.id", ">", after);
        const rows = await query.orderBy("alias.id").limit(limit).execute();
        return rows.map((row) => opened(keys, row));
      });
    },
    show: (row) => row,
    rowsAtOnce: ROWS_AT_ONCE,
  });
}

function opened(keys: StoreContext["keys"], { sealed, ...row }: AliasRow & { sealed: Buffer }): OpenedRow {
  return { id: row.id, row, document: keys.open<AliasDocument>("alias", row.id, sealed), bytes: sealed.length };
}

async function readSome({ db, keys, ...context }: StoreContext, userId: string, ids: readonly string[]) {
  const rows = await ofUser(db, userId).where("alias.id", "=", anyOfIds(ids)).execute();
  const documents = rows.map((row) => opened(keys, row));
  return newestFirst(await toAliases({ db, keys, ...context }, userId, documents));
}

async function readAll(
  context: StoreContext,
  userId: string,
  pages: AsyncIterable<OpenedRow[]>,
): Promise<ListRead<Alias>> {
  const rows: OpenedRow[] = [];
  for await (const page of pages) rows.push(...page);
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  return { items: newestFirst(await toAliases(context, userId, rows)), bytes };
}

async function toAliases({ db }: StoreContext, userId: string, rows: readonly OpenedRow[]): Promise<Alias[]> {
  const known = await knownLabels(
    db,
    userId,
    rows.map(({ document }) => document),
  );
  return mapInSlices(rows, ({ row, document }) => toAlias({ ...row, user_id: userId }, document, known));
}

const newestFirst = (aliases: Alias[]): Alias[] =>
  aliases.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? -1 : 1));

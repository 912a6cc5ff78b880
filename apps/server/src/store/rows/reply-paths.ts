/** Reply addresses, sealed with a key from their token (core/reply-path), not the server's; messages share commits. */
import { sql } from "kysely";
import type { AnswerMark, ReplyPath, ReplyPathStore, SentAnswerStore } from "../../core/reply-path.ts";
import { groupCalls, PAUSE_MAX_MS } from "../concurrency/group-calls.ts";
import type { Database, InTransaction } from "../database.ts";
import { isOneRowsFault } from "../database-error.ts";
import { preparedQuery } from "../prepared-query.ts";
import type { StoreContext } from "../store-context.ts";
import { anyOfIds } from "./sql-parts.ts";

/** Rows per commit: some 10 ms on the embedded database. */
const GROUP_ROWS_MAX = 200;

interface PathsToEnsure {
  paths: readonly ReplyPath[];
  now: Date;
  account: string;
}

export function replyPathStore({ db }: Pick<StoreContext, "db">): ReplyPathStore {
  const findAll = async (ids: readonly Buffer[]) => {
    if (ids.length === 0) return [];
    const rows = await db
      .selectFrom("reply_path")
      .select(["id", "alias_id", "sealed"])
      .where("id", "in", [...ids])
      .execute();
    return rows.map(({ id, alias_id, sealed }) => ({ id, aliasId: alias_id, sealed }));
  };
  const insert = insertAll(db);
  const ensure = groupCalls<PathsToEnsure, void>({
    most: GROUP_ROWS_MAX,
    weigh: ({ paths }) => paths.length,
    partyOf: ({ account }) => account,
    // A first message is stored at once; concurrent ones in commits 25 ms apart.
    pauseMinMs: PAUSE_MAX_MS,
    isOneItemsFault: isOneRowsFault,
    run: async (items) => {
      await insert(items);
      return items.map(() => undefined);
    },
  });
  return {
    ensure: async (paths, { now, account }) => {
      if (paths.length > 0) await ensure({ paths, now, account });
    },
    listKnown: async (ids) => {
      if (ids.length === 0) return new Set();
      const rows = await db
        .selectFrom("reply_path")
        .select("id")
        .where("id", "in", [...ids])
        .execute();
      return new Set(rows.map(({ id }) => id.toString("hex")));
    },
    find: async (id) => (await findAll([id]))[0] ?? null,
    findAll,
  };
}

/** Inserts the reply paths that do not exist yet, in a statement whose text is the same for any number. */
function insertAll(db: Database): (items: readonly PathsToEnsure[]) => Promise<unknown> {
  const none: string[] = [];
  const insert = sql<never>`
    INSERT INTO reply_path (id, alias_id, created_at, sealed)
    SELECT decode(id, 'hex'), alias_id, created_at, decode(sealed, 'hex')
    FROM unnest(${none}::text[], ${none}::uuid[], ${none}::timestamptz[], ${none}::text[])
      AS given (id, alias_id, created_at, sealed)
    ON CONFLICT (id) DO NOTHING
  `;
  const run = preparedQuery(db, insert.compile(db));
  return (items) => {
    const rows = items.flatMap(({ paths, now }) => paths.map((path) => ({ ...path, now })));
    return run([
      rows.map(({ id }) => id.toString("hex")),
      rows.map(({ aliasId }) => aliasId),
      rows.map(({ now }) => now.toISOString()),
      rows.map(({ sealed }) => sealed.toString("hex")),
    ]);
  };
}

/** Rows per DELETE: a few milliseconds on the embedded database. */
const ROWS_AT_ONCE = 500;
const ALIASES_AT_ONCE = 100;
const tablesOfPeople = [
  { table: "reply_path", key: "id" },
  { table: "bounce_sender", key: "token" },
] as const;

/** Deletes reply addresses and bounce senders in short statements: an account can have hundreds of thousands. */
export async function deletePeopleOf(
  db: Database,
  { userId, aliasIds }: { userId: string; aliasIds?: readonly string[] },
): Promise<void> {
  let aliases = db.selectFrom("alias").select("id").where("user_id", "=", userId);
  if (aliasIds !== undefined) aliases = aliases.where("id", "=", anyOfIds(aliasIds));
  const own = (await aliases.execute()).map(({ id }) => id);
  for (let from = 0; from < own.length; from += ALIASES_AT_ONCE) {
    const some = anyOfIds(own.slice(from, from + ALIASES_AT_ONCE));
    for (const { table, key } of tablesOfPeople) {
      for (let deleted = ROWS_AT_ONCE; deleted === ROWS_AT_ONCE; ) {
        const [of, column] = [sql.table(table), sql.ref(key)];
        const { rows } = await sql`
          DELETE FROM ${of} WHERE ${column} IN (SELECT ${column} FROM ${of} WHERE alias_id = ${some} LIMIT ${ROWS_AT_ONCE})
          RETURNING 1
        `.execute(db);
        deleted = rows.length;
      }
    }
  }
}

export function sentAnswerStore({ db }: StoreContext): SentAnswerStore {
  return {
    listKnown: async (keys) => {
      if (keys.length === 0) return [];
      const rows = await db.selectFrom("sent_answer").select("mark").where("mark", "in", keys.map(bytesOf)).execute();
      return rows.map(({ mark }) => mark.toString("hex"));
    },
    remember: (userId, marks) => insertMarks(db, userId, marks),
    deleteEnded: async (now) => {
      const result = await db.deleteFrom("sent_answer").where("ends_at", "<=", now).executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}

/** @returns false when one of the marks was stored before */
export async function insertMarks(
  db: Pick<Database | InTransaction, "insertInto">,
  userId: string,
  marks: readonly AnswerMark[],
): Promise<boolean> {
  const keys = new Map(marks.map(({ key, endsAt }) => [key, endsAt]));
  if (keys.size === 0) return true;
  const result = await db
    .insertInto("sent_answer")
    .values([...keys].map(([key, endsAt]) => ({ mark: bytesOf(key), user_id: userId, ends_at: endsAt })))
    .onConflict((conflict) => conflict.column("mark").doNothing())
    .executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows) === keys.size;
}

const bytesOf = (key: string) => Buffer.from(key, "hex");

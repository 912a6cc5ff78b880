/**
 * Reply addresses. Their content is sealed with a key derived from their token (see core/reply-path), not with a key of
 * the server.
 */
import { sql } from "kysely";
import type { ReplyPathStore } from "../../../core/reply-path/reply-path.ts";
import type { Database } from "../../database.ts";
import type { StoreContext } from "../../store-context.ts";

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
  return {
    ensure: async (paths, now) => {
      if (paths.length === 0) return;
      const rows = paths.map(({ id, aliasId, sealed }) => ({ id, alias_id: aliasId, created_at: now, sealed }));
      await db
        .insertInto("reply_path")
        .values(rows)
        .onConflict((it) => it.column("id").doNothing())
        .execute();
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

/** Reply addresses per DELETE statement. The embedded database deletes as many in a few milliseconds. */
const ROWS_AT_ONCE = 500;

/**
 * Deletes the reply addresses of one alias, or of all aliases of an account, in many short statements. An account can
 * have hundreds of thousands; one statement for all of them would block the process for seconds.
 */
export async function deleteReplyPathsOf(
  db: Database,
  { userId, aliasId }: { userId: string; aliasId?: string },
): Promise<void> {
  let aliases = db.selectFrom("alias").select("id").where("user_id", "=", userId);
  if (aliasId !== undefined) aliases = aliases.where("id", "=", aliasId);
  for (const { id } of await aliases.execute()) {
    for (let deleted = ROWS_AT_ONCE; deleted === ROWS_AT_ONCE; ) {
      const { rows } = await sql`
        DELETE FROM reply_path WHERE id IN (SELECT id FROM reply_path WHERE alias_id = ${id} LIMIT ${ROWS_AT_ONCE}) RETURNING 1
      `.execute(db);
      deleted = rows.length;
    }
  }
}

/** Reply addresses. Their content is sealed by their token (see core/reply-path), not by a key of the server. */
import type { ReplyPathStore } from "../core/reply-path/reply-path.ts";
import type { StoreContext } from "./store-context.ts";

export function replyPathStore({ db }: Pick<StoreContext, "db">): ReplyPathStore {
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
    find: async (id) => {
      const row = await db.selectFrom("reply_path").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : { id: row.id, aliasId: row.alias_id, sealed: row.sealed };
    },
  };
}

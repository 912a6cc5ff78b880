/** Notices to owners; the text is sealed, since it may name an alias or a destination. */
import type { Notice, NoticeStore } from "../core/notice/notice.ts";
import type { NoticeTable } from "./database.ts";
import type { StoreContext } from "./store-context.ts";

interface NoticeDocument {
  text: string;
}

export function noticeStore({ db, keys }: StoreContext): NoticeStore {
  const fromRow = (row: NoticeTable): Notice => ({
    id: row.id,
    userId: row.user_id,
    kind: row.kind,
    aliasId: row.alias_id,
    text: keys.open<NoticeDocument>("notice", row.id, row.sealed).text,
    createdAt: row.created_at,
  });
  return {
    listForUser: async (userId) => {
      const rows = await db
        .selectFrom("notice")
        .selectAll()
        .where("user_id", "=", userId)
        .orderBy("created_at", "desc")
        .orderBy("id")
        .execute();
      return rows.map(fromRow);
    },
    insert: async (notice) => {
      const document: NoticeDocument = { text: notice.text };
      await db
        .insertInto("notice")
        .values({
          id: notice.id,
          user_id: notice.userId,
          alias_id: notice.aliasId,
          kind: notice.kind,
          created_at: notice.createdAt,
          sealed: keys.seal("notice", notice.id, document),
        })
        .execute();
    },
    delete: async (userId, noticeId) => {
      const result = await db
        .deleteFrom("notice")
        .where("id", "=", noticeId)
        .where("user_id", "=", userId)
        .executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
    deleteBefore: async (createdBefore) => {
      const result = await db.deleteFrom("notice").where("created_at", "<", createdBefore).executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}

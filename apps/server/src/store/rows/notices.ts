/** Notices to owners. Their text is sealed, since it may name an alias or destination. */

import { sql } from "kysely";
import type { Notice, NoticeStore } from "../../core/notice.ts";
import { bounds } from "../../limits/table.ts";
import type { Database, InTransaction, NoticeTable } from "../database.ts";
import { preparedQuery } from "../prepared-query.ts";
import type { StoreContext } from "../store-context.ts";

/** Notices deleted at a time when an account has more than bounds.notices.account. */
const EVICTED_COUNT = 20;

interface NoticeDocument {
  text: string;
}

export function noticeStore({ db, keys }: StoreContext): NoticeStore {
  const fromRow = (row: NoticeTable): Notice => ({
    id: row.id,
    userId: row.user_id,
    kind: row.kind,
    aliasId: row.alias_id,
    text: textOf(keys, row),
    createdAt: row.created_at,
  });
  const ofUser = db.selectFrom("notice").selectAll().where("user_id", "=", "");
  const byUser = preparedQuery(db, ofUser.orderBy("created_at", "desc").orderBy("id").compile());
  return {
    listForUser: async (userId) => (await byUser([userId])).map(fromRow),
    insert: async (notice) => {
      await insertNotice(db, keys, notice);
      await evictOldestNotices(db, notice.userId);
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

/** A notice that can't be unsealed must not hide the others, and can be dismissed. */
function textOf(keys: StoreContext["keys"], { id, sealed }: NoticeTable): string {
  try {
    return keys.open<NoticeDocument>("notice", id, sealed).text;
  } catch {
    return "This notice could not be read from the store.";
  }
}

export async function insertNotice(
  db: Pick<InTransaction, "insertInto">,
  keys: StoreContext["keys"],
  notice: Notice,
): Promise<void> {
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
}

/** Evicts the oldest notices of the aliases with most, so that a flood about one evicts no other's. */
export async function evictOldestNotices(db: Database, userId: string): Promise<void> {
  const mine = db.selectFrom("notice").select("id").where("user_id", "=", userId);
  const beyond = await mine.orderBy("created_at", "desc").offset(bounds.notices.account).limit(1).executeTakeFirst();
  if (beyond === undefined) return;
  await sql`DELETE FROM notice WHERE id IN (
    SELECT id FROM (
      SELECT id, created_at, row_number() OVER (PARTITION BY alias_id ORDER BY created_at DESC) AS in_alias
      FROM notice WHERE user_id = ${userId}
    ) numbered ORDER BY in_alias DESC, created_at LIMIT ${sql.lit(EVICTED_COUNT)})`.execute(db);
}

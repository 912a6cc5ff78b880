/** Uploaded files of messages that are being composed; each file is a body in the spool, under the id of its row. */
import { sql } from "kysely";
import type { EmailAttachmentStore } from "../../core/email-job/email-attachment.ts";
import type { StoreContext } from "../store-context.ts";
import { anyOfIds } from "./sql-parts.ts";

export interface EmailAttachmentParts {
  forgetBodies(ids: readonly string[]): Promise<void>;
}

/** Rows that one statement of the retention job deletes. */
const DELETED_AT_ONCE = 500;

export function emailAttachmentStore(
  { db }: StoreContext,
  { forgetBodies }: EmailAttachmentParts,
): EmailAttachmentStore {
  const remove = async (ids: readonly string[], userId?: string): Promise<string[]> => {
    let query = db.deleteFrom("email_attachment").where("id", "=", anyOfIds(ids));
    if (userId !== undefined) query = query.where("user_id", "=", userId);
    const gone = (await query.returning("id").execute()).map(({ id }) => id);
    await forgetBodies(gone);
    return gone;
  };
  return {
    insert: async ({ id, userId, sizeBytes, createdAt }) => {
      const row = { id, user_id: userId, size_bytes: sizeBytes, created_at: createdAt };
      await db.insertInto("email_attachment").values(row).execute();
    },
    find: async (userId, ids) => {
      if (ids.length === 0) return [];
      const mine = db.selectFrom("email_attachment").selectAll().where("user_id", "=", userId);
      const rows = await mine.where("id", "=", anyOfIds(ids)).execute();
      return rows.map((row) => ({
        id: row.id,
        userId: row.user_id,
        sizeBytes: row.size_bytes,
        createdAt: row.created_at,
      }));
    },
    held: async (userId) => {
      const { rows } = await sql<{ own: number; own_bytes: number; all_bytes: number; accounts: number }>`
        SELECT count(*) FILTER (WHERE user_id = ${userId}::uuid)::integer AS own,
          coalesce(sum(size_bytes) FILTER (WHERE user_id = ${userId}::uuid), 0)::float8 AS own_bytes,
          coalesce(sum(size_bytes), 0)::float8 AS all_bytes, count(DISTINCT user_id)::integer AS accounts
        FROM email_attachment`.execute(db);
      const { own = 0, own_bytes = 0, all_bytes = 0, accounts = 0 } = rows[0] ?? {};
      return { count: own, bytes: own_bytes, allBytes: all_bytes, accounts };
    },
    delete: async (userId, ids) => (ids.length === 0 ? 0 : (await remove(ids, userId)).length),
    deleteBefore: async (createdBefore) => {
      let deleted = 0;
      for (;;) {
        const old = db.selectFrom("email_attachment").select("id").where("created_at", "<", createdBefore);
        const ids = (await old.limit(DELETED_AT_ONCE).execute()).map(({ id }) => id);
        if (ids.length > 0) deleted += (await remove(ids)).length;
        if (ids.length < DELETED_AT_ONCE) return deleted;
      }
    },
    isKnown: async (id) => {
      const row = await db.selectFrom("email_attachment").select("id").where("id", "=", id).executeTakeFirst();
      return row !== undefined;
    },
  };
}

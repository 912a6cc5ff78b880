/** Mailboxes that refused mail as nonexistent, by keyed hash. When to suspend one is decided in core. */

import { sql } from "kysely";
import {
  type MailboxRefusal,
  MISSING_MAILBOX_RULE,
  type MissingMailbox,
  type MissingMailboxStore,
} from "../../../core/destination/destination.ts";
import { bounds } from "../../../limits/table.ts";
import { filterInSlices } from "../../../runtime/fair-queue/slices.ts";
import type { InTransaction } from "../../database.ts";
import { preparedQuery } from "../../prepared-query.ts";
import type { StoreContext } from "../../store-context.ts";
import { changeAndDropRoutes } from "./destinations.ts";
import { missingMailboxIndex } from "./mailboxes.ts";

export function missingMailboxStore(context: StoreContext): MissingMailboxStore {
  const { db, keys } = context;
  const ofUser = db.selectFrom("missing_mailbox").select("mailbox_index").where("user_id", "=", "");
  const suspendedOf = preparedQuery(db, ofUser.where("suspended_at", "is not", null).compile());
  return {
    note: (refusal) => note(context, refusal),
    clear: async (userId, address) => {
      const index = missingMailboxIndex(keys, address);
      return await changeAndDropRoutes(context, async (trx) => {
        const query = trx
          .deleteFrom("missing_mailbox")
          .where("user_id", "=", userId)
          .where("mailbox_index", "=", index);
        const { numDeletedRows } = await query.executeTakeFirst();
        const result = numDeletedRows > 0n;
        return { result, changed: result ? [userId] : [] };
      });
    },
    deleteBefore: (before) => deleteBefore(context, before),
    suspended: async (userId, addresses) => {
      if (addresses.length === 0) return new Set();
      const rows = await suspendedOf([userId]);
      const indexes = new Set(rows.map((row) => row.mailbox_index.toString("hex")));
      if (indexes.size === 0) return new Set();
      const isSuspended = (address: string) => indexes.has(missingMailboxIndex(keys, address).toString("hex"));
      return new Set(await filterInSlices(addresses, isSuspended));
    },
  };
}

function deleteBefore(context: StoreContext, before: Date): Promise<number> {
  return changeAndDropRoutes(context, async (trx) => {
    const query = trx.deleteFrom("missing_mailbox").where("suspended_at", "is", null).where("last_at", "<=", before);
    const rows = await query.returning("user_id").execute();
    const changed = [...new Set(rows.map((row) => row.user_id))];
    return { result: rows.length, changed, isForwardingSame: true };
  });
}

interface NotedRow {
  refusals: number;
  first_at: Date;
  last_at: Date;
  suspended_at: Date | null;
}

async function note(context: StoreContext, refusal: MailboxRefusal): Promise<MissingMailbox | null> {
  const { userId, messageId } = refusal;
  const index = missingMailboxIndex(context.keys, refusal.address);
  return await changeAndDropRoutes(context, async (trx) => {
    const row = await count(trx, { userId, index, messageId, now: context.clock.now() });
    if (row === undefined) return { result: null, changed: [] };
    const isNew = row.suspended_at !== null;
    const result = { refusals: row.refusals, firstAt: row.first_at, isSuspended: isNew, isNew };
    // A cached route lists mailboxes with refusals, which a delivery resets, so it is dropped at the first one.
    return { result, changed: row.refusals === 1 || isNew ? [userId] : [], isForwardingSame: !isNew };
  });
}

/** Counts a refusal; `undefined`: suspended already, counted before, account gone, or bounds.missingMailboxes.account others. */
async function count(
  trx: InTransaction,
  { userId, index, messageId, now }: { userId: string; index: Buffer; messageId: string; now: Date },
): Promise<NotedRow | undefined> {
  const { refusals, spanMs } = MISSING_MAILBOX_RULE;
  const firstBefore = new Date(now.getTime() - spanMs);
  const { rows } = await sql<NotedRow>`
    INSERT INTO missing_mailbox AS known
      (user_id, mailbox_index, first_at, last_at, refusals, last_message_id)
    SELECT id, ${index}::bytea, ${now}::timestamptz, ${now}::timestamptz, 1, ${messageId}::uuid
    FROM "user" WHERE id = ${userId}
      AND (SELECT count(*) FROM missing_mailbox WHERE user_id = ${userId} AND mailbox_index <> ${index}::bytea)
        < ${sql.lit(bounds.missingMailboxes.account)}
    ON CONFLICT (user_id, mailbox_index) DO UPDATE SET
      refusals = known.refusals + 1,
      last_at = excluded.last_at,
      last_message_id = excluded.last_message_id,
      suspended_at = CASE WHEN known.refusals + 1 >= ${sql.lit(refusals)} AND known.first_at <= ${firstBefore}::timestamptz
        THEN excluded.last_at END
    WHERE known.suspended_at IS NULL AND known.last_message_id <> excluded.last_message_id
    RETURNING refusals, first_at, last_at, suspended_at`.execute(trx);
  return rows[0];
}

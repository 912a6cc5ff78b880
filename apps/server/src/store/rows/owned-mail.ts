/**
 * Deletes queued mail together with its account or alias. A message is deleted with its last delivery, in the same
 * transaction. Rows are locked in the order account, alias, message, delivery everywhere, so that concurrent deletions
 * can't deadlock.
 */

import type { InTransaction } from "../database.ts";
import { anyOfIds } from "./any-of.ts";

export type MailOwner = { column: "user_id" | "alias_id"; id: string | readonly string[] };

/**
 * Locks the messages that have a delivery of one of these owners.
 * @returns ids of the locked messages, for `deleteFinishedMessages`
 */
export async function lockMessagesOf(trx: InTransaction, owner: MailOwner): Promise<string[]> {
  const rows = await trx
    .selectFrom("message")
    .select("id")
    .where("id", "in", (query) =>
      query
        .selectFrom("delivery")
        .select("message_id")
        .where(owner.column, "=", anyOfIds([owner.id].flat())),
    )
    .orderBy("id")
    .forUpdate()
    .execute();
  return rows.map((row) => row.id);
}

/**
 * Deletes those of the messages that have no delivery left.
 * @returns their ids, whose bodies may be deleted after the commit
 */
export async function deleteFinishedMessages(trx: InTransaction, messageIds: readonly string[]): Promise<string[]> {
  if (messageIds.length === 0) return [];
  const rows = await trx
    .deleteFrom("message")
    .where("id", "=", anyOfIds(messageIds))
    .where((row) =>
      row.not(row.exists(row.selectFrom("delivery").select("delivery.id").whereRef("message_id", "=", "message.id"))),
    )
    .returning("id")
    .execute();
  return rows.map((row) => row.id);
}

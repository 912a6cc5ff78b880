/** Sizes of undelivered mail by account or alias. */
import { sql } from "kysely";
import { SPOOL_ROW_BYTES } from "../../../core/delivery/delivery.ts";
import type { Database } from "../../database.ts";

/** Adds up the bytes of undelivered mail. @returns bytes for each account or alias of `ids`, in the same order */
export async function spoolBytesBy(
  db: Database,
  column: "user_id" | "alias_id",
  ids: readonly string[],
): Promise<number[]> {
  const messages = db
    .selectFrom("delivery")
    .innerJoin("message", "message.id", "delivery.message_id")
    .where("delivery.state", "=", "open")
    .where(`delivery.${column}`, "in", [...new Set(ids)])
    .groupBy([`delivery.${column}`, "message.id"])
    .select([`delivery.${column} as owner`, "message.size_bytes"])
    .select((row) => row.fn.countAll<number>().as("deliveries"));
  const rows = await db
    .selectFrom(messages.as("held"))
    .groupBy("owner")
    .select("owner")
    .select(sql<number>`sum(size_bytes + deliveries * ${sql.lit(SPOOL_ROW_BYTES)})::bigint`.as("bytes"))
    .execute();
  const found = new Map(rows.map(({ owner, bytes }) => [owner, bytes]));
  return ids.map((id) => found.get(id) ?? 0);
}

/** Figures of the delivery queue. Reads every open row. */
import { sql } from "kysely";
import { SPOOL_ROW_BYTES } from "../../core/delivery/delivery.ts";
import type { Database } from "../database.ts";

export interface QueueFigures {
  open: number;
  oldestAt: Date | null;
  messageBytes: number;
}

export async function queueFigures(db: Database): Promise<QueueFigures> {
  const { rows } = await sql<{ open: number; oldest_at: Date | null; message_bytes: number }>`
    SELECT count(*)::integer AS open, min(created_at) AS oldest_at, (
      SELECT coalesce(sum(size_bytes), 0)::float8 FROM message
      WHERE EXISTS (SELECT 1 FROM delivery WHERE delivery.message_id = message.id AND delivery.state = 'open')
    ) AS message_bytes FROM delivery WHERE state = 'open'
  `.execute(db);
  const [row] = rows;
  return { open: row?.open ?? 0, oldestAt: row?.oldest_at ?? null, messageBytes: row?.message_bytes ?? 0 };
}

/** Open deliveries whose last look ended with `engine_needed`. */
export async function countForEngine(db: Database): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    SELECT count(*)::integer AS waiting FROM delivery WHERE state = 'open' AND last_failure LIKE 'engine_needed %'
  `.execute(db);
  return rows[0]?.waiting ?? 0;
}

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

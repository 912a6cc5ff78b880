/** Length of the queue and age of its oldest delivery, for the operator. Reads every open row. */
import { sql } from "kysely";
import type { Database } from "../database.ts";

export interface QueueFigures {
  open: number;
  /** When the message of the oldest open delivery was received; `null` when no delivery is open. */
  oldestAt: Date | null;
  /** Total size of the messages with open deliveries, each counted once. */
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

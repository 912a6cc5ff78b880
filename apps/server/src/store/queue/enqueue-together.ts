/** Enqueues the messages of many callers in one statement: one commit, after which each can reply 250. */
import { type RawBuilder, sql } from "kysely";
import { AppError } from "../../core/app-error.ts";
import type { OpenDelivery } from "../../core/delivery/delivery.ts";
import type { MarksToStore } from "../../core/reply-path.ts";
import type { Database, DeliveryTable, MessageTable } from "../database.ts";
import { preparedHere } from "../prepared-query.ts";
import { insertMarks } from "../rows/reply-paths.ts";
import type { StoreContext } from "../store-context.ts";

export type MessageRow = MessageTable;
export type DeliveryRow = Omit<
  DeliveryTable,
  "attempts" | "priority" | "taken_beside" | "dropped" | "network_index" | "block_index" | "job_place" | "is_sending"
> & {
  attempts: number;
  priority: number;
};

export interface RowsToEnqueue {
  message: MessageRow;
  deliveries: readonly DeliveryRow[];
  dueAt: Date | null;
}

export function firstDueAt(deliveries: readonly OpenDelivery[]): Date | null {
  return earliest(deliveries.map((delivery) => (delivery.lease === null ? delivery.notBefore : null)));
}

export async function enqueueTogether({ db, signals }: StoreContext, kept: readonly RowsToEnqueue[]): Promise<void> {
  const dueAt = earliest(kept.map((rows) => rows.dueAt));
  // Without another process to notify, the single statement needs no transaction.
  if (signals.isAlone || dueAt === null) return await insert(db, kept, preparedHere(db, signals));
  await db.transaction().execute(async (trx) => {
    await insert(trx, kept, sql.raw(""));
    await signals.announceWake(trx, dueAt);
  });
}

/** Inserts an answer with the marks by which it is known if it is sent again. */
export async function enqueueAnswer(
  { db, signals }: StoreContext,
  kept: RowsToEnqueue,
  { userId, marks, mayRepeat }: MarksToStore,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // The unique index waits for a concurrent transaction with the same mark.
    const isNew = await insertMarks(trx, userId, marks);
    if (!isNew && !mayRepeat) throw new AppError("busy");
    await insert(trx, [kept], sql.raw(""));
    if (!signals.isAlone && kept.dueAt !== null) await signals.announceWake(trx, kept.dueAt);
  });
}

/** Passes one array per column, so that the text is the same for any number of rows; hex, as bytea is slow. */
async function insert(db: Database, kept: readonly RowsToEnqueue[], start: RawBuilder<unknown>): Promise<void> {
  const messages = kept.map((rows) => rows.message);
  const deliveries = kept.flatMap((rows) => rows.deliveries);
  const message = <Value>(read: (row: MessageRow) => Value) => messages.map(read);
  const delivery = <Value>(read: (row: DeliveryRow) => Value) => deliveries.map(read);
  await sql`${start}
    WITH kept AS (
      INSERT INTO message (id, email_job_id, size_bytes, created_at, sealed)
      SELECT id, email_job_id, size_bytes, created_at, decode(sealed, 'hex') FROM unnest(
        ${message((row) => row.id)}::uuid[], ${message((row) => row.email_job_id)}::uuid[],
        ${message((row) => row.size_bytes)}::integer[], ${message((row) => timeText(row.created_at))}::timestamptz[],
        ${message((row) => row.sealed.toString("hex"))}::text[]
      ) AS given (id, email_job_id, size_bytes, created_at, sealed)
    )
    INSERT INTO delivery (id, message_id, alias_id, user_id, state, not_before, lease_token, leased_until, attempts,
      last_failure, created_at, priority, sealed)
    SELECT id, message_id, alias_id, user_id, state, not_before, lease_token, leased_until, attempts,
      last_failure, created_at, priority, decode(sealed, 'hex') FROM unnest(
      ${delivery((row) => row.id)}::uuid[], ${delivery((row) => row.message_id)}::uuid[],
      ${delivery((row) => row.alias_id)}::uuid[], ${delivery((row) => row.user_id)}::uuid[],
      ${delivery((row) => row.state)}::text[], ${delivery((row) => timeText(row.not_before))}::timestamptz[],
      ${delivery((row) => row.lease_token)}::text[], ${delivery((row) => timeText(row.leased_until))}::timestamptz[],
      ${delivery((row) => row.attempts)}::integer[], ${delivery((row) => row.last_failure)}::text[],
      ${delivery((row) => timeText(row.created_at))}::timestamptz[], ${delivery((row) => row.priority)}::integer[],
      ${delivery((row) => row.sealed.toString("hex"))}::text[]
    ) AS given (id, message_id, alias_id, user_id, state, not_before, lease_token, leased_until, attempts,
      last_failure, created_at, priority, sealed)
  `.execute(db);
}

const timeText = (time: Date | null) => time?.toISOString() ?? null;

function earliest(times: readonly (Date | null)[]): Date | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : new Date(Math.min(...known.map((time) => time.getTime())));
}

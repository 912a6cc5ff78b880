/**
 * Returns leased deliveries to the queue without an attempt: none is counted, and a composed message is pending again.
 */
import { sql } from "kysely";
import type { PutBack } from "../../core/delivery/delivery.ts";
import { statesBefore } from "../../core/email-job/email-job.ts";
import { preparedHere } from "../prepared-query.ts";
import type { StoreContext } from "../store-context.ts";

/** Puts leased deliveries back into the queue. @returns ids of the composed messages that are pending again */
export async function putBack({ db, clock, signals }: StoreContext, deliveries: readonly PutBack[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`${preparedHere(db, signals)}
    WITH given (id, token, not_before) AS (
      SELECT * FROM unnest(
        ${deliveries.map((delivery) => delivery.id)}::uuid[], ${deliveries.map((delivery) => delivery.leaseToken)}::text[],
        ${deliveries.map((delivery) => delivery.notBefore.toISOString())}::timestamptz[])
    ), back AS (
      UPDATE delivery SET not_before = given.not_before, lease_token = NULL, leased_until = NULL FROM given
      WHERE delivery.id = given.id AND delivery.lease_token = given.token AND delivery.state = 'open'
      RETURNING delivery.message_id
    )
    UPDATE email_job SET status = 'pending', updated_at = ${clock.now()}::timestamptz FROM back, message
    WHERE message.id = back.message_id AND email_job.id = message.email_job_id
      AND email_job.status = ANY(${statesBefore("retry")}::text[])
    RETURNING email_job.id
  `.execute(db);
  return rows.map((row) => row.id);
}

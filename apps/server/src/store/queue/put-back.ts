/** Leased deliveries given back untried: no attempt is counted, and a composed message waits again as it did before. */
import { sql } from "kysely";
import type { PutBack } from "../../core/delivery/delivery.ts";
import { statesBefore } from "../../core/email-job/job-status.ts";
import type { StoreContext } from "../store-context.ts";

/** @returns the composed messages that wait again */
export async function putBack({ db, clock }: StoreContext, deliveries: readonly PutBack[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    WITH given (id, token, not_before) AS (
      SELECT * FROM unnest(
        ${deliveries.map((it) => it.id)}::uuid[], ${deliveries.map((it) => it.leaseToken)}::text[],
        ${deliveries.map((it) => it.notBefore.toISOString())}::timestamptz[])
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
  return rows.map((it) => it.id);
}

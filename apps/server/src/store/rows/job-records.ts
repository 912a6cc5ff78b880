/**
 * State changes of composed mail (`email_job`) in the transaction of its delivery, and the deletion of queued mail with
 * its owner. Rows are locked in the order account, alias, message, delivery everywhere.
 */

import type { EmailJobStatus } from "@kauke/contract";
import type { DeliveryFailure, FailureCode } from "../../core/delivery/delivery.ts";
import { type EmailJobContent, type JobEvent, nextStatus, statesBefore } from "../../core/email-job/email-job.ts";
import type { InTransaction } from "../database.ts";
import type { StoreContext } from "../store-context.ts";
import { anyOfIds } from "./sql-parts.ts";

export interface JobDocument {
  messageId: string;
  lastFailure: DeliveryFailure | null;
  content: EmailJobContent | null;
}

type Ending = { event: Extract<JobEvent, "deliver" | "fail" | "cancel">; failure: DeliveryFailure | null };

/** Ends a job. @returns false if its status does not allow the event; nothing is changed then */
export async function endJob(
  { keys, clock }: Pick<StoreContext, "keys" | "clock">,
  trx: InTransaction,
  { jobId, event, failure }: Ending & { jobId: string },
): Promise<boolean> {
  const row = await trx
    .selectFrom("email_job")
    .select(["status", "sealed"])
    .where("id", "=", jobId)
    .forUpdate()
    .executeTakeFirst();
  const status = row === undefined ? null : nextStatus(row.status as EmailJobStatus, event);
  if (row === undefined || status === null) return false;
  const messageId = messageIdOf(keys, jobId, row.sealed);
  const ended: JobDocument = { messageId, lastFailure: failure, content: null };
  const now = clock.now();
  await trx
    .updateTable("email_job")
    .set({ status, updated_at: now, sealed: keys.seal("email_job", jobId, ended) })
    .set(event === "cancel" ? { cancelled_at: now } : { processed_at: now })
    .where("id", "=", jobId)
    .execute();
  return true;
}

/** Message-ID; empty for a damaged document: a job that could not end would send its message again and again. */
function messageIdOf(keys: StoreContext["keys"], jobId: string, sealed: Buffer): string {
  try {
    return keys.open<JobDocument>("email_job", jobId, sealed).messageId;
  } catch {
    return "";
  }
}

export async function lockComposed(
  trx: InTransaction,
  of: { column: "user_id" | "alias_id" | "id"; id: string | readonly string[] },
): Promise<string[]> {
  const ids = anyOfIds([of.id].flat());
  const rows = await trx
    .selectFrom("message")
    .select("id")
    .where("email_job_id", "in", (query) => query.selectFrom("email_job").select("id").where(of.column, "=", ids))
    .orderBy("id")
    .forUpdate()
    .execute();
  return rows.map((row) => row.id);
}

/** Cancels messages without a lease; a concurrent claim commits first or finds none. @returns ended messages' ids */
export async function cancelMessages(
  context: Pick<StoreContext, "keys" | "clock">,
  trx: InTransaction,
  { messageIds, unlessAfter = [] }: { messageIds: readonly string[]; unlessAfter?: readonly FailureCode[] },
): Promise<string[]> {
  if (messageIds.length === 0) return [];
  let query = trx
    .deleteFrom("delivery")
    .using(["message", "email_job"])
    .whereRef("message.id", "=", "delivery.message_id")
    .whereRef("email_job.id", "=", "message.email_job_id")
    .where("message.id", "=", anyOfIds(messageIds))
    .where("email_job.status", "in", statesBefore("cancel"))
    .where("delivery.lease_token", "is", null);
  for (const code of unlessAfter)
    query = query.where((row) =>
      row.or([row("delivery.last_failure", "is", null), row("delivery.last_failure", "not like", `${code} %`)]),
    );
  for (const { id } of await query.returning("email_job.id").execute()) {
    const cancelled = await endJob(context, trx, { jobId: id, event: "cancel", failure: null });
    if (!cancelled) throw new Error("a composed message's job and its delivery have contradictory states");
  }
  return deleteFinishedMessages(trx, messageIds);
}

export function cancelIfAliasInactive(context: StoreContext, jobId: string): Promise<string[]> {
  return context.db.transaction().execute(async (trx) => {
    const fit = await trx
      .selectFrom("email_job")
      .innerJoin("alias", "alias.id", "email_job.alias_id")
      .select("alias.id")
      .where("email_job.id", "=", jobId)
      .where("alias.active", "=", true)
      .executeTakeFirst();
    if (fit !== undefined) return [];
    return cancelMessages(context, trx, { messageIds: await lockComposed(trx, { column: "id", id: jobId }) });
  });
}

/** Detaches leased deliveries from aliases to be deleted: they finish, or fail for good at their next failure. */
export async function detachLeasedMail(trx: InTransaction, aliasIds: readonly string[]): Promise<void> {
  await trx
    .updateTable("delivery")
    .set({ alias_id: null })
    .where("alias_id", "=", anyOfIds(aliasIds))
    .where("message_id", "in", (query) =>
      query.selectFrom("message").select("id").where("email_job_id", "is not", null),
    )
    .execute();
}

export type MailOwner = { column: "user_id" | "alias_id"; id: string | readonly string[] };

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

/** Deletes messages without a delivery. @returns their ids; bodies may be deleted after the commit */
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

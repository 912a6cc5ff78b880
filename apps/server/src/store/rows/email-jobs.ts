/** Jobs of composed mail. Recipient and subject are sealed, and erased when the job ends. */
import { type EmailJobStatus, emailJobMessages, emailJobStatuses } from "@kauke/contract";
import { fieldError } from "../../core/app-error.ts";
import {
  type EmailJob,
  type EmailJobStore,
  type EmailJobToQueue,
  isEnd,
  type WaitingJob,
} from "../../core/email-job/email-job.ts";
import type { InTransaction } from "../database.ts";
import { deliveryRow, insertMessage, orSpoolFailed, readFailure } from "../queue/deliveries.ts";
import { SealError } from "../sealing/seal.ts";
import type { StoreContext } from "../store-context.ts";
import { cancelMessages, type JobDocument, lockComposed } from "./job-records.ts";

export interface EmailJobStoreParts {
  forgetBodies(messageIds: readonly string[]): Promise<void>;
}

export function emailJobStore(context: StoreContext, { forgetBodies }: EmailJobStoreParts): EmailJobStore {
  const { db, signals } = context;
  return {
    queue: async (input) => {
      await orSpoolFailed(() => db.transaction().execute((trx) => queue(context, trx, input)));
      signals.wake();
    },
    find: (userId, jobId) => find(context, userId, jobId),
    listWaiting: (userId, max) => listWaiting(context, userId, max),
    cancel: async (userId, jobId) => {
      const result = await db.transaction().execute((trx) => cancel(context, trx, { userId, jobId }));
      if (result !== null) await forgetBodies(result.messagesDone);
      return result?.cancelled ?? null;
    },
    deleteEndedBefore: async (endedBefore) => {
      const result = await db
        .deleteFrom("email_job")
        .where("status", "in", emailJobStatuses.filter(isEnd))
        .where("updated_at", "<", endedBefore)
        .executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}

/** Failures after which the message may have been delivered nevertheless, so it can't be cancelled. */
const UNCERTAIN_FAILURES = ["timed_out", "connection_lost", "at_provider", "provider_silent"] as const;

async function queue(context: StoreContext, trx: InTransaction, input: EmailJobToQueue): Promise<void> {
  const { keys, signals } = context;
  const { job, message, delivery } = input;
  if (!(await canSend(context, trx, delivery))) throw fieldError("fromAliasId", emailJobMessages.senderUnfit);
  const document: JobDocument = { messageId: job.messageId, lastFailure: null, content: input.content };
  await trx
    .insertInto("email_job")
    .values({
      id: job.id,
      user_id: job.userId,
      alias_id: job.aliasId,
      use_encryption: job.useEncryption,
      status: job.status,
      priority: job.priority,
      max_retries: job.maxRetries,
      current_retries: job.currentRetries,
      scheduled_at: job.scheduledAt,
      created_at: job.createdAt,
      updated_at: job.createdAt,
      sealed: keys.seal("email_job", job.id, document),
    })
    .execute();
  await insertMessage(trx, keys, { ...message, emailJobId: job.id });
  await trx.insertInto("delivery").values(deliveryRow(keys, delivery)).execute();
  await signals.announceWake(trx);
}

/** Locks the alias: a pause, rename or deletion either commits first and is seen, or waits and cancels the new job. */
async function canSend(
  { keys }: StoreContext,
  trx: InTransaction,
  { aliasId, userId, target }: EmailJobToQueue["delivery"],
): Promise<boolean> {
  // The account is locked before the alias, as everywhere: the job's row refers to both.
  await trx.selectFrom("user").select("id").where("id", "=", userId).forKeyShare().execute();
  const alias = await trx
    .selectFrom("alias")
    .innerJoin("smtp_credential", "smtp_credential.alias_id", "alias.id")
    .select("alias.id")
    .where("alias.id", "=", aliasId)
    .where("alias.user_id", "=", userId)
    .where("alias.active", "=", true)
    .where("alias.address_index", "=", keys.blindIndex("alias.address", target.aliasAddress))
    .where("smtp_credential.active", "=", true)
    .forShare("alias")
    .executeTakeFirst();
  return alias !== undefined;
}

/** Composed messages, each with the last failure of its delivery if that still exists. */
function jobRows({ db }: StoreContext, userId: string) {
  return db
    .selectFrom("email_job")
    .leftJoin("message", "message.email_job_id", "email_job.id")
    .leftJoin("delivery", "delivery.message_id", "message.id")
    .selectAll("email_job")
    .select(["delivery.last_failure", "delivery.not_before"])
    .where("email_job.user_id", "=", userId);
}

type JobRow = Awaited<ReturnType<ReturnType<typeof jobRows>["execute"]>>[number];

async function find(context: StoreContext, userId: string, jobId: string): Promise<EmailJob | null> {
  const row = await jobRows(context, userId).where("email_job.id", "=", jobId).executeTakeFirst();
  return row === undefined ? null : openJob(context, row).job;
}

async function listWaiting(context: StoreContext, userId: string, max: number): Promise<WaitingJob[]> {
  const rows = await jobRows(context, userId)
    .where("email_job.status", "not in", emailJobStatuses.filter(isEnd))
    .orderBy("email_job.created_at", "desc")
    .limit(max)
    .execute();
  return rows.flatMap((row) => {
    try {
      const { job, content } = openJob(context, row);
      return content === null ? [] : [{ job, content, nextAttemptAt: row.not_before ?? job.scheduledAt }];
    } catch (error) {
      // A message whose recipient and subject can't be read is not shown; its delivery does not need them.
      if (error instanceof SealError) return [];
      throw error;
    }
  });
}

function openJob({ keys }: StoreContext, row: JobRow): { job: EmailJob; content: JobDocument["content"] } {
  const { messageId, lastFailure, content } = keys.open<JobDocument>("email_job", row.id, row.sealed);
  const job = {
    id: row.id,
    userId: row.user_id,
    aliasId: row.alias_id,
    useEncryption: row.use_encryption,
    status: row.status as EmailJobStatus,
    priority: row.priority,
    maxRetries: row.max_retries,
    currentRetries: row.current_retries,
    scheduledAt: row.scheduled_at,
    processedAt: row.processed_at,
    cancelledAt: row.cancelled_at,
    lastFailure: row.last_failure === null ? lastFailure : readFailure(row.last_failure),
    messageId,
    createdAt: row.created_at,
  };
  return { job, content };
}

async function cancel(
  context: StoreContext,
  trx: InTransaction,
  { userId, jobId }: { userId: string; jobId: string },
): Promise<{ cancelled: boolean; messagesDone: string[] } | null> {
  const job = () =>
    trx
      .selectFrom("email_job")
      .select("status")
      .where("id", "=", jobId)
      .where("user_id", "=", userId)
      .executeTakeFirst();
  if ((await job()) === undefined) return null;
  const messageIds = await lockComposed(trx, { column: "id", id: jobId });
  const messagesDone = await cancelMessages(context, trx, { messageIds, unlessAfter: UNCERTAIN_FAILURES });
  return { cancelled: (await job())?.status === "cancelled", messagesDone };
}

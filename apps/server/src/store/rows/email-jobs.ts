/** Jobs of composed mail. Recipients and subject are sealed, and erased when the job ends. */
import { type EmailJobStatus, emailJobMessages, emailJobStatuses } from "@kauke/contract";
import type { Selectable } from "kysely";
import { AppError, fieldError } from "../../core/app-error.ts";
import type { DeliveryFailure } from "../../core/delivery/delivery.ts";
import {
  type EmailJob,
  type EmailJobContent,
  type EmailJobStore,
  type EmailJobToQueue,
  type EndedJob,
  isEnd,
  type JobRecipient,
  jobStatus,
  type WaitingJob,
} from "../../core/email-job/email-job.ts";
import type { DB, InTransaction } from "../database.ts";
import { deliveryRow, insertMessage, orSpoolFailed, readFailure } from "../queue/deliveries.ts";
import { SealError } from "../sealing/seal.ts";
import type { StoreContext } from "../store-context.ts";
import { cancelMessages, isUnsent, type JobDocument, lockComposed, recipientsIn, stateOf } from "./job-records.ts";
import { anyOfIds } from "./sql-parts.ts";

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
    listEnded: (userId, since, max) => listEnded(context, { userId, since, max }),
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

async function queue(context: StoreContext, trx: InTransaction, input: EmailJobToQueue): Promise<void> {
  const { keys, signals } = context;
  const { job, message, deliveries } = input;
  if (!(await canSend(context, trx, deliveries[0]))) throw fieldError("fromAliasId", emailJobMessages.senderUnfit);
  const { messageId, fingerprint } = job;
  const document: JobDocument = { messageId, lastFailure: null, content: input.content, fingerprint };
  // Of two equal requests at once, the second waits here for the first one's commit.
  const inserted = await trx
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
      outcomes: deliveries.map(() => null),
    })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .returning("id")
    .executeTakeFirst();
  if (inserted === undefined) throw new AppError("job_id_taken");
  await insertMessage(trx, keys, { ...message, emailJobId: job.id });
  const rows = deliveries.map((delivery) => ({
    ...deliveryRow(keys, delivery),
    job_place: delivery.jobPlace ?? 0,
  }));
  await trx.insertInto("delivery").values(rows).execute();
  await signals.announceWake(trx);
}

/** Locks the alias: a pause, rename or deletion either commits first and is seen, or waits and cancels the new job. */
async function canSend(
  { keys }: StoreContext,
  trx: InTransaction,
  { aliasId, userId, target }: EmailJobToQueue["deliveries"][number],
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

type JobRow = Selectable<DB["email_job"]>;

const rowsOf = ({ db }: StoreContext, userId: string) =>
  db.selectFrom("email_job").selectAll().where("user_id", "=", userId);

async function find(context: StoreContext, userId: string, jobId: string): Promise<EmailJob | null> {
  const row = await rowsOf(context, userId).where("id", "=", jobId).executeTakeFirst();
  if (row === undefined) return null;
  return openJob(context, row, await openDeliveries(context, [row])).job;
}

async function listWaiting(context: StoreContext, userId: string, max: number): Promise<WaitingJob[]> {
  const rows = await rowsOf(context, userId)
    .where("status", "not in", emailJobStatuses.filter(isEnd))
    .orderBy("created_at", "desc")
    .limit(max)
    .execute();
  const deliveries = Map.groupBy(await openDeliveries(context, rows), ({ email_job_id }) => email_job_id);
  return rows.flatMap((row) => {
    const open = deliveries.get(row.id) ?? [];
    const opened = tryToOpen(context, row, open);
    if (opened === null || opened.content === null) return [];
    const times = open.map(({ not_before }) => not_before.getTime());
    const nextAttemptAt = times.length === 0 ? opened.job.scheduledAt : new Date(Math.min(...times));
    return [{ job: opened.job, content: opened.content, nextAttemptAt }];
  });
}

async function listEnded(
  context: StoreContext,
  { userId, since, max }: { userId: string; since: Date; max: number },
): Promise<EndedJob[]> {
  const rows = await rowsOf(context, userId)
    .where("status", "in", emailJobStatuses.filter(isEnd))
    .where("updated_at", ">=", since)
    .orderBy("updated_at", "desc")
    .limit(max)
    .execute();
  return rows.flatMap((row) => {
    const opened = tryToOpen(context, row, []);
    return opened === null ? [] : [{ job: opened.job, endedAt: row.updated_at }];
  });
}

/** @returns `null` for a job that can't be read, which is not shown; its deliveries do not need it */
function tryToOpen(context: StoreContext, row: JobRow, open: readonly OpenRow[]): OpenedJob | null {
  try {
    return openJob(context, row, open);
  } catch (error) {
    if (error instanceof SealError) return null;
    throw error;
  }
}

async function openDeliveries({ db }: StoreContext, jobs: readonly JobRow[]) {
  const ids = jobs.filter((job) => !isEnd(job.status as EmailJobStatus)).map(({ id }) => id);
  if (ids.length === 0) return [];
  return await db
    .selectFrom("delivery")
    .innerJoin("message", "message.id", "delivery.message_id")
    .select(["message.email_job_id", "job_place", "is_sending", "attempts", "last_failure", "not_before"])
    .where("message.email_job_id", "=", anyOfIds(ids))
    .execute();
}

type OpenRow = Awaited<ReturnType<typeof openDeliveries>>[number];

interface OpenedJob {
  job: EmailJob;
  content: EmailJobContent | null;
}

function openJob({ keys }: StoreContext, row: JobRow, open: readonly OpenRow[]): OpenedJob {
  const document = keys.open<JobDocument>("email_job", row.id, row.sealed);
  const recipients = recipientsOf(row, document, open);
  const { content } = document;
  const job = {
    id: row.id,
    userId: row.user_id,
    aliasId: row.alias_id,
    useEncryption: row.use_encryption,
    status: jobStatus(recipients.map(({ state }) => state)),
    priority: row.priority,
    maxRetries: row.max_retries,
    currentRetries: Math.max(row.current_retries, ...open.map(({ attempts }) => attempts)),
    scheduledAt: row.scheduled_at,
    processedAt: row.processed_at,
    cancelledAt: row.cancelled_at,
    recipients,
    messageId: document.messageId,
    createdAt: row.created_at,
    fingerprint: document.fingerprint ?? null,
  };
  return { job, content: content === null ? null : { recipients: recipientsIn(content), subject: content.subject } };
}

function recipientsOf(row: JobRow, document: JobDocument, open: readonly OpenRow[]): JobRecipient[] {
  const { content, kinds, lastFailure } = document;
  const known = content === null ? [] : recipientsIn(content);
  return row.outcomes.map((outcome, place): JobRecipient => {
    const about = { kind: known[place]?.kind ?? kinds?.[place] ?? "to", address: known[place]?.address ?? null };
    if (outcome !== null) return { ...about, state: stateOf(outcome), failure: failureIn(outcome) ?? lastFailure };
    const delivery = open.find(({ job_place }) => job_place === place);
    const last = delivery?.last_failure ?? null;
    const failure = last === null ? null : readFailure(last);
    return { ...about, state: delivery?.is_sending === true ? "sending" : "pending", failure };
  });
}

function failureIn(outcome: string): DeliveryFailure | null {
  const [state, ...failure] = outcome.split(" ");
  return state === "failed" && failure.length > 0 ? readFailure(failure.join(" ")) : null;
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
  const messagesDone = (await isUnsent(trx, jobId)) ? await cancelMessages(context, trx, { messageIds }) : [];
  return { cancelled: (await job())?.status === "cancelled", messagesDone };
}

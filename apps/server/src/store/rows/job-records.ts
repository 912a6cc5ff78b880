/**
 * State changes of composed mail (`email_job`) in the transaction of its delivery, and the deletion of queued mail with
 * its owner. Rows are locked in the order account, alias, message, delivery everywhere.
 */

import { type EmailJobStatus, emailJobStatuses, type RecipientKind } from "@kauke/contract";
import type { DeliveryFailure, FailureCode } from "../../core/delivery/delivery.ts";
import { isEnd, jobStatus, type Recipient } from "../../core/email-job/email-job.ts";
import type { InTransaction } from "../database.ts";
import type { StoreContext } from "../store-context.ts";
import { anyOfIds } from "./sql-parts.ts";

export interface JobDocument {
  messageId: string;
  /** Of a job that ended before recipients had outcomes of their own. */
  lastFailure: DeliveryFailure | null;
  content: { recipients: Recipient[]; subject: string } | FormerContent | null;
  fingerprint?: string | null;
  /** What is left of the recipients of an ended job. */
  kinds?: RecipientKind[];
}

/** Of a job that was made before a message could have several recipients. */
interface FormerContent {
  recipient: string;
  subject: string;
}

export function recipientsIn(content: NonNullable<JobDocument["content"]>): Recipient[] {
  return "recipients" in content ? content.recipients : [{ kind: "to", address: content.recipient }];
}

/** What became of a recipient, as in `email_job.outcomes`: nothing personal, so it is not sealed. */
export type Outcome = "sent" | "cancelled" | `failed ${string}`;

export const stateOf = (outcome: string): EmailJobStatus =>
  emailJobStatuses.find((status) => outcome.split(" ", 1)[0] === status) ?? "failed";

export interface EndedRecipients {
  jobId: string;
  places: readonly number[];
  outcome: Outcome;
  attempts: number;
}

/** Records what became of recipients; the last one ends the job. The caller has locked the job's message. */
export async function endRecipients(
  { keys, clock }: Pick<StoreContext, "keys" | "clock">,
  trx: InTransaction,
  { jobId, places, outcome, attempts }: EndedRecipients,
): Promise<void> {
  const row = await trx
    .selectFrom("email_job")
    .select(["status", "sealed", "outcomes", "current_retries"])
    .where("id", "=", jobId)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined || isEnd(row.status as EmailJobStatus)) return;
  const outcomes = row.outcomes.map((before, place) => (places.includes(place) ? outcome : before));
  const now = clock.now();
  const ended = outcomes.every((one) => one !== null)
    ? endOf({ keys }, { jobId, sealed: row.sealed, outcomes, now })
    : {};
  await trx
    .updateTable("email_job")
    .set({ outcomes, current_retries: Math.max(row.current_retries, attempts), updated_at: now, ...ended })
    .where("id", "=", jobId)
    .execute();
}

interface Ending {
  jobId: string;
  sealed: Buffer;
  outcomes: readonly string[];
  now: Date;
}

function endOf({ keys }: Pick<StoreContext, "keys">, { jobId, sealed, outcomes, now }: Ending) {
  const status = jobStatus(outcomes.map(stateOf));
  const times = status === "cancelled" ? { cancelled_at: now } : { processed_at: now };
  return { status, ...times, sealed: keys.seal("email_job", jobId, withoutContent(keys, jobId, sealed)) };
}

/** Of a damaged document nothing is left: a job that could not end would send its message again and again. */
function withoutContent(keys: StoreContext["keys"], jobId: string, sealed: Buffer): JobDocument {
  const empty = { lastFailure: null, content: null };
  try {
    const { messageId, content, fingerprint = null } = keys.open<JobDocument>("email_job", jobId, sealed);
    const kinds = content === null ? [] : recipientsIn(content).map(({ kind }) => kind);
    return { ...empty, messageId, kinds, fingerprint };
  } catch {
    return { ...empty, messageId: "" };
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

/** Failures after which the message may have been delivered nevertheless, so it can't be cancelled. */
const UNCERTAIN_FAILURES: readonly FailureCode[] = ["timed_out", "connection_lost", "at_provider", "provider_silent"];

/** Whether a message is and was on its way to nobody. Locks its deliveries: a concurrent claim is seen, or finds none. */
export async function isUnsent(trx: InTransaction, jobId: string): Promise<boolean> {
  const job = await trx.selectFrom("email_job").select("outcomes").where("id", "=", jobId).executeTakeFirst();
  const open = await trx
    .selectFrom("delivery")
    .innerJoin("message", "message.id", "delivery.message_id")
    .select(["delivery.lease_token", "delivery.is_sending", "delivery.last_failure"])
    .where("message.email_job_id", "=", jobId)
    .forUpdate("delivery")
    .execute();
  if (job === undefined || open.length < job.outcomes.length) return false;
  return open.every(
    ({ lease_token, is_sending, last_failure }) =>
      lease_token === null && !is_sending && !UNCERTAIN_FAILURES.some((code) => last_failure?.startsWith(`${code} `)),
  );
}

/**
 * Takes back the recipients that no worker is sending to; a concurrent claim commits first or finds none. A delivery
 * that is being sent ends by itself.
 * @returns ended messages' ids
 */
export async function cancelMessages(
  context: Pick<StoreContext, "keys" | "clock">,
  trx: InTransaction,
  { messageIds }: { messageIds: readonly string[] },
): Promise<string[]> {
  if (messageIds.length === 0) return [];
  const rows = await trx
    .deleteFrom("delivery")
    .using("message")
    .whereRef("message.id", "=", "delivery.message_id")
    .where("message.id", "=", anyOfIds(messageIds))
    .where("message.email_job_id", "is not", null)
    .where("delivery.lease_token", "is", null)
    .where("delivery.is_sending", "=", false)
    .returning(["message.email_job_id", "delivery.job_place"])
    .execute();
  for (const [jobId, ended] of Map.groupBy(rows, (row) => row.email_job_id)) {
    if (jobId === null) continue;
    const places = ended.map((row) => row.job_place ?? 0);
    await endRecipients(context, trx, { jobId, places, outcome: "cancelled", attempts: 0 });
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

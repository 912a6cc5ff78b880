/** The delivery queue. A row is due at `coalesce(leased_until, not_before)`; envelope and target are sealed. */

import { sql } from "kysely";
import { AppError, asAppError } from "../../core/app-error.ts";
import {
  type DeliveryFailure,
  type DeliveryStore,
  type FailureCode,
  type Finished,
  isOwnMail,
  type MessageToEnqueue,
  type OpenDelivery,
} from "../../core/delivery/delivery.ts";
import type { MessageEnvelope } from "../../core/message/message.ts";
import { bounds } from "../../limits/table.ts";
import { groupCalls } from "../concurrency/group-calls.ts";
import type { Database, InTransaction } from "../database.ts";
import { isOneRowsFault } from "../database-error.ts";
import { preparedHere } from "../prepared-query.ts";
import { cancelIfAliasInactive, deleteFinishedMessages, endRecipients } from "../rows/job-records.ts";
import type { ServerKeys } from "../sealing/server-keys.ts";
import type { StoreContext } from "../store-context.ts";
import { claimer, OWN_PRIORITY } from "./claim.ts";
import {
  type DeliveryRow,
  enqueueAnswer,
  enqueueTogether,
  firstDueAt,
  type MessageRow,
  type RowsToEnqueue,
} from "./enqueue-together.ts";
import { type KeptMessage, keptMessages } from "./kept-messages.ts";
import { type HostQueues, hasten, hostQueues } from "./queue-by-host.ts";
import { countForEngine, type QueueFigures, queueFigures, spoolBytesBy } from "./queue-figures.ts";
import {
  type Deferral,
  deferTogether,
  type Ending,
  type Extension,
  extendTogether,
  finishTogether,
  type LeaseRef,
  putBack,
} from "./settle-together.ts";

export interface DeliveryRepository extends DeliveryStore, HostQueues {
  listKeptForOperator(): Promise<KeptMessage[]>;
  deleteKeptForOperator(messageId: string): Promise<boolean>;
  deleteKeptBefore(createdBefore: Date): Promise<number>;
  figures(): Promise<QueueFigures>;
  /** Mail that only our own engine can send, and that waits because a provider has taken its place. */
  countForEngine(): Promise<number>;
}

type EnvelopeDocument = Omit<MessageEnvelope, "receivedAt"> & { receivedAt: string };

export interface DeliveryStoreParts {
  forgetBodies(messageIds: readonly string[]): Promise<void>;
}

/** Minimum milliseconds between two commits of outcomes, for which no sender waits. */
const SETTLE_PAUSE_MS = 25;

export function deliveryStore(context: StoreContext, { forgetBodies }: DeliveryStoreParts): DeliveryRepository {
  const { db, keys, signals } = context;
  const grouped = groupedCalls(context);
  return {
    enqueue: async (message, deliveries, marks) => {
      const dueAt = firstDueAt(deliveries);
      const rows = deliveries.map((delivery) => deliveryRow(keys, delivery));
      const kept = { message: messageRow(keys, message), deliveries: rows, dueAt };
      await orSpoolFailed(() => (marks === undefined ? grouped.enqueue(kept) : enqueueAnswer(context, kept, marks)));
      if (dueAt !== null) signals.wake(dueAt);
    },
    claim: claimerOf(context),
    extendLease: (id, leaseToken, until) => grouped.extend({ id, leaseToken, until }),
    finish: async (id, leaseToken, failure) => {
      const ended = await grouped.finishPlain({ id, leaseToken, isTaken: failure === null });
      if (ended !== undefined) return { finished: true, ...ended };
      return await db.transaction().execute((trx) => finish(context, trx, { id, leaseToken, failure }));
    },
    defer: async (id, leaseToken, next) => {
      const { notBefore, failure } = next;
      let wasHeld = await grouped.deferPlain({ id, leaseToken, notBefore, failureText: failureText(failure) });
      if (!wasHeld) {
        const deferred = await defer(context, { id, leaseToken, next });
        if (deferred?.jobId) await forgetBodies(await cancelIfAliasInactive(context, deferred.jobId));
        wasHeld = deferred !== null;
      }
      if (wasHeld) signals.wake(notBefore);
      return wasHeld;
    },
    wait: async (id, leaseToken, next) => {
      const waiting = await wait(context, { id, leaseToken, next });
      if (waiting?.jobId) await forgetBodies(await cancelIfAliasInactive(context, waiting.jobId));
      return waiting !== null;
    },
    putBack: async (deliveries) => {
      for (const jobId of await putBack(context, deliveries))
        await forgetBodies(await cancelIfAliasInactive(context, jobId));
    },
    nextDueAt: () => nextDueAt(context),
    countForAlias: (aliasId) => grouped.countOpen(aliasId),
    spoolBytes: (owner, id) => grouped.spoolBytes[owner](id),
    count: async () => (await openDeliveries(db).executeTakeFirstOrThrow()).count,
    isKnownMessage: async (messageId) => {
      const row = await db.selectFrom("message").select("id").where("id", "=", messageId).executeTakeFirst();
      return row !== undefined;
    },
    releaseLeases: () => releaseLeases(db),
    hasten: async (ids, now) => {
      const count = await hasten(db, ids, now);
      signals.wake(now);
      return count;
    },
    onWake: (listener) => signals.onWake(listener),
    figures: () => queueFigures(db),
    countForEngine: () => countForEngine(db),
    ...hostQueues(context),
    ...keptMessages(context, { insertMessage, envelopeOf, forgetBodies }),
  };
}

const claimerOf = ({ db, signals, keys }: StoreContext) =>
  claimer({ db, signals, keys, envelopeOf: (messageId, sealed) => envelopeOf(keys, messageId, sealed), readFailure });

function groupedCalls(context: StoreContext) {
  const options = { most: bounds.commitRows.rows, isOneItemsFault: isOneRowsFault };
  const settling = { ...options, pauseMinMs: SETTLE_PAUSE_MS };
  return {
    enqueue: groupCalls<RowsToEnqueue, void>({
      ...options,
      weigh: ({ deliveries }) => Math.max(deliveries.length, 1),
      run: async (kept) => {
        await enqueueTogether(context, kept);
        return kept.map(() => undefined);
      },
    }),
    finishPlain: groupCalls({ ...settling, run: (endings: readonly Ending[]) => finishTogether(context, endings) }),
    deferPlain: groupCalls({ ...settling, run: (held: readonly Deferral[]) => deferTogether(context, held) }),
    extend: groupCalls({ ...options, run: (held: readonly Extension[]) => extendTogether(context.db, held) }),
    spoolBytes: {
      account: groupCalls({ ...options, run: (ids: readonly string[]) => spoolBytesBy(context.db, "user_id", ids) }),
      alias: groupCalls({ ...options, run: (ids: readonly string[]) => spoolBytesBy(context.db, "alias_id", ids) }),
    },
    countOpen: groupCalls({ ...options, run: (aliasIds: readonly string[]) => countOpenByAlias(context.db, aliasIds) }),
  };
}

/** A failure is a closed set of words without personal data, so its column is not sealed. */
const failureText = (failure: DeliveryFailure) => `${failure.code} ${failure.enhancedStatus}`;

export function readFailure(text: string): DeliveryFailure {
  const [code = "", enhancedStatus = ""] = text.split(" ");
  return { code: code as FailureCode, enhancedStatus };
}

function openDeliveries(db: Database) {
  return db
    .selectFrom("delivery")
    .select((row) => row.fn.countAll<number>().as("count"))
    .where("state", "=", "open");
}

async function nextDueAt({ db, signals }: StoreContext): Promise<Date | null> {
  const { rows } = await sql<{ due_at: Date | null }>`${preparedHere(db, signals)}
    SELECT min(coalesce(leased_until, not_before)) AS due_at FROM delivery WHERE state = 'open'`.execute(db);
  return rows[0]?.due_at ?? null;
}

async function releaseLeases(db: Database): Promise<number> {
  const result = await db
    .updateTable("delivery")
    .set({ lease_token: null, leased_until: null })
    .where("lease_token", "is not", null)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

async function countOpenByAlias(db: Database, aliasIds: readonly string[]): Promise<number[]> {
  const rows = await openDeliveries(db)
    .select("alias_id")
    .where("alias_id", "in", [...new Set(aliasIds)])
    .groupBy("alias_id")
    .execute();
  const counts = new Map(rows.map((row) => [row.alias_id, row.count]));
  return aliasIds.map((aliasId) => counts.get(aliasId) ?? 0);
}

export async function insertMessage(trx: InTransaction, keys: ServerKeys, message: MessageToEnqueue): Promise<void> {
  await trx.insertInto("message").values(messageRow(keys, message)).execute();
}

function messageRow(keys: ServerKeys, message: MessageToEnqueue): MessageRow {
  const document: EnvelopeDocument = { ...message.envelope, receivedAt: message.envelope.receivedAt.toISOString() };
  return {
    id: message.id,
    email_job_id: message.emailJobId ?? null,
    size_bytes: message.sizeBytes,
    created_at: message.createdAt,
    sealed: keys.seal("message", message.id, document),
  };
}

function envelopeOf(keys: ServerKeys, messageId: string, sealed: Buffer): MessageEnvelope {
  const document = keys.open<EnvelopeDocument>("message", messageId, sealed);
  return { ...document, receivedAt: new Date(document.receivedAt) };
}

export function deliveryRow(keys: ServerKeys, delivery: OpenDelivery): DeliveryRow {
  return {
    id: delivery.id,
    message_id: delivery.messageId,
    alias_id: delivery.aliasId,
    user_id: delivery.userId,
    state: "open",
    not_before: delivery.notBefore,
    lease_token: delivery.lease?.token ?? null,
    leased_until: delivery.lease?.until ?? null,
    attempts: delivery.attempts,
    last_failure: delivery.lastFailure === null ? null : failureText(delivery.lastFailure),
    created_at: delivery.createdAt,
    priority: isOwnMail(delivery.target) ? OWN_PRIORITY : (delivery.priority ?? 0),
    sealed: keys.seal("delivery", delivery.id, delivery.target),
  };
}

async function finish(
  context: StoreContext,
  trx: InTransaction,
  { id, leaseToken, failure }: LeaseRef & { failure: DeliveryFailure | null },
): Promise<Finished> {
  // The message is locked first: whoever ends another of its deliveries waits, and sees this one deleted.
  const message = await trx
    .selectFrom("message")
    .innerJoin("delivery", "delivery.message_id", "message.id")
    .select(["message.id", "message.email_job_id"])
    .where("delivery.id", "=", id)
    .where("delivery.lease_token", "=", leaseToken)
    .forUpdate("message")
    .executeTakeFirst();
  const ended = await trx
    .deleteFrom("delivery")
    .where("id", "=", id)
    .where("lease_token", "=", leaseToken)
    .returning(["job_place", "attempts"])
    .executeTakeFirst();
  if (message === undefined || ended === undefined) return { finished: false, messageDone: null, isTakenByNone: false };
  const [messageDone] = await deleteFinishedMessages(trx, [message.id]);
  if (message.email_job_id !== null)
    await endRecipients(context, trx, {
      jobId: message.email_job_id,
      places: [ended.job_place ?? 0],
      outcome: failure === null ? "sent" : `failed ${failureText(failure)}`,
      attempts: ended.attempts,
    });
  return { finished: true, messageDone: messageDone ?? null, isTakenByNone: false };
}

/** @returns `null` when the lease was lost */
async function defer(
  { db }: StoreContext,
  { id, leaseToken, next }: LeaseRef & { next: { notBefore: Date; failure: DeliveryFailure } },
): Promise<{ jobId: string | null } | null> {
  const { rows } = await sql<{ job_id: string | null }>`
    WITH deferred AS (
      UPDATE delivery SET not_before = ${next.notBefore}::timestamptz, lease_token = NULL, leased_until = NULL,
        attempts = attempts + 1, last_failure = ${failureText(next.failure)}::text, is_sending = false
      WHERE id = ${id}::uuid AND lease_token = ${leaseToken}::text AND state = 'open' RETURNING message_id
    )
    SELECT message.email_job_id AS job_id FROM deferred LEFT JOIN message ON message.id = deferred.message_id
  `.execute(db);
  return rows[0] === undefined ? null : { jobId: rows[0].job_id };
}

/** A composed message that is handed over is still being sent. @returns `null` when the lease was lost */
async function wait(
  { db, signals }: StoreContext,
  { id, leaseToken, next }: LeaseRef & { next: Parameters<DeliveryStore["wait"]>[2] },
): Promise<{ jobId: string | null } | null> {
  const isHandedOver = next.uncounted === "handed_over";
  const { rows } = await sql<{ job_id: string | null }>`
    WITH held AS (
      UPDATE delivery SET not_before = ${next.notBefore}::timestamptz, lease_token = NULL, leased_until = NULL,
        last_failure = ${failureText(next.failure)}::text, is_sending = is_sending AND ${isHandedOver}::boolean
      WHERE id = ${id}::uuid AND lease_token = ${leaseToken}::text AND state = 'open' RETURNING message_id
    )
    SELECT message.email_job_id AS job_id FROM held LEFT JOIN message ON message.id = held.message_id
  `.execute(db);
  if (rows[0] === undefined) return null;
  signals.wake(next.notBefore);
  return { jobId: isHandedOver ? null : rows[0].job_id };
}

/** A message whose commit failed was not accepted, so the sender will try again. @throws AppError `spool_failed` */
export async function orSpoolFailed(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    throw asAppError(cause) ?? new AppError("spool_failed", {}, cause);
  }
}

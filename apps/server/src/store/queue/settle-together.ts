/**
 * Ends and deferrals of many leased deliveries in one statement. Mail with a record (`email_job`) is left out: what happens to
 * the record is decided one by one, in `deliveries.ts`.
 */
import { sql } from "kysely";
import type { Database } from "../database.ts";
import type { StoreContext } from "../store-context.ts";

export interface Held {
  id: string;
  leaseToken: string;
}

export interface Ending extends Held {
  isTaken: boolean;
}

export interface Ended {
  /** The message that went with it. */
  messageDone: string | null;
  isTakenByNone: boolean;
}

export interface Extension extends Held {
  until: Date;
}

export interface Deferral extends Held {
  notBefore: Date;
  failureText: string;
}

/** @returns `undefined` for each that was not ended (lost lease, or it has a record) */
export async function finishTogether(
  context: StoreContext,
  endings: readonly Ending[],
): Promise<(Ended | undefined)[]> {
  const rows = await withMessagesLocked(context, endings, (db) => finishPlain(db, endings));
  const byId = new Map(rows.map((it) => [it.id, it]));
  const doneTold = new Set<string>();
  const aliasesTold = new Set(rows.filter((it) => it.is_taken).map(aliasOf));
  return endings.map(({ id }) => {
    const row = byId.get(id);
    if (row === undefined) return undefined;
    const isDone = row.is_message_done && isFirst(doneTold, row.message_id);
    const isTakenByNone = row.is_last && isFirst(aliasesTold, aliasOf(row));
    return { messageDone: isDone ? row.message_id : null, isTakenByNone };
  });
}

interface EndedRow {
  id: string;
  message_id: string;
  alias_id: string | null;
  is_taken: boolean;
  is_message_done: boolean;
  /** No delivery of the message for this alias is open any more, and none was taken before. */
  is_last: boolean;
}

const aliasOf = ({ message_id, alias_id }: EndedRow) => `${message_id} ${alias_id}`;

/** Whether the key is new, which is then noted: of several deliveries that end in one statement, only the first reports. */
function isFirst(told: Set<string>, key: string): boolean {
  if (told.has(key)) return false;
  told.add(key);
  return true;
}

/** @returns for each whether it was put back; false: lost lease, or it has a record */
export async function deferTogether(context: StoreContext, deferrals: readonly Deferral[]): Promise<boolean[]> {
  const rows = await withMessagesLocked(context, deferrals, (db) => deferPlain(db, deferrals));
  const ids = new Set(rows.map((it) => it.id));
  return deferrals.map(({ id }) => ids.has(id));
}

/** @returns for each whether the lease was held, and is now until its time */
export async function extendTogether(db: Database, extensions: readonly Extension[]): Promise<boolean[]> {
  const { rows } = await sql<{ id: string }>`
    UPDATE delivery SET leased_until = given.until FROM unnest(
      ${extensions.map((it) => it.id)}::uuid[], ${extensions.map((it) => it.leaseToken)}::text[],
      ${extensions.map((it) => it.until.toISOString())}::timestamptz[]
    ) AS given (id, token, until)
    WHERE delivery.id = given.id AND delivery.lease_token = given.token AND delivery.state = 'open'
    RETURNING delivery.id
  `.execute(db);
  const ids = new Set(rows.map((it) => it.id));
  return extensions.map(({ id }) => ids.has(id));
}

/**
 * Whoever ends a message's other delivery at this moment waits for the lock, and then sees this one gone; in the order in which
 * a deleted account locks them. Where nobody else can be at it, the statement is a transaction of its own.
 */
async function withMessagesLocked<Row>(
  { db, signals }: StoreContext,
  held: readonly Held[],
  work: (db: Database) => Promise<Row[]>,
): Promise<Row[]> {
  if (signals.isAlone) return await work(db);
  return await db.transaction().execute(async (trx) => {
    await sql`
      SELECT FROM message WHERE id IN (SELECT message_id FROM delivery WHERE id = ANY(${held.map((it) => it.id)}::uuid[]))
      ORDER BY id FOR UPDATE`.execute(trx);
    return await work(trx);
  });
}

/** All parts of the statement see the rows as they were before it. */
async function finishPlain(db: Database, endings: readonly Ending[]) {
  const { rows } = await sql<EndedRow>`
    WITH ended AS (
      DELETE FROM delivery USING unnest(
        ${endings.map((it) => it.id)}::uuid[], ${endings.map((it) => it.leaseToken)}::text[],
        ${endings.map((it) => it.isTaken)}::boolean[]
      ) AS given (id, token, is_taken), message
      WHERE delivery.id = given.id AND delivery.lease_token = given.token
        AND message.id = delivery.message_id AND message.email_job_id IS NULL
      RETURNING delivery.id, delivery.message_id, delivery.alias_id, delivery.taken_beside, given.is_taken
    ), beside AS (
      UPDATE delivery SET taken_beside = true FROM ended
      WHERE ended.is_taken AND delivery.message_id = ended.message_id AND delivery.alias_id = ended.alias_id
        AND delivery.id NOT IN (SELECT ended.id FROM ended)
    ), done AS (
      DELETE FROM message WHERE id IN (SELECT message_id FROM ended) AND NOT EXISTS (
        SELECT FROM delivery WHERE delivery.message_id = message.id AND delivery.id NOT IN (SELECT ended.id FROM ended))
      RETURNING id
    )
    SELECT ended.id, ended.message_id, ended.alias_id, ended.is_taken, done.id IS NOT NULL AS is_message_done,
      NOT ended.taken_beside AND (done.id IS NOT NULL OR NOT EXISTS (
        SELECT FROM delivery WHERE delivery.message_id = ended.message_id AND delivery.alias_id = ended.alias_id
          AND delivery.id NOT IN (SELECT ended.id FROM ended))) AS is_last
    FROM ended LEFT JOIN done ON done.id = ended.message_id
  `.execute(db);
  return rows;
}

async function deferPlain(db: Database, deferrals: readonly Deferral[]) {
  const { rows } = await sql<{ id: string }>`
    UPDATE delivery SET not_before = given.not_before, lease_token = NULL, leased_until = NULL,
      attempts = attempts + 1, last_failure = given.failure
    FROM unnest(
      ${deferrals.map((it) => it.id)}::uuid[], ${deferrals.map((it) => it.leaseToken)}::text[],
      ${deferrals.map((it) => it.notBefore.toISOString())}::timestamptz[],
      ${deferrals.map((it) => it.failureText)}::text[]
    ) AS given (id, token, not_before, failure), message
    WHERE delivery.id = given.id AND delivery.lease_token = given.token AND delivery.state = 'open'
      AND message.id = delivery.message_id AND message.email_job_id IS NULL
    RETURNING delivery.id
  `.execute(db);
  return rows;
}

/** Ends or defers many leased deliveries in one statement, except composed mail, which `deliveries.ts` settles. */
import { sql } from "kysely";
import type { PutBack } from "../../core/delivery/delivery.ts";
import type { Database } from "../database.ts";
import { preparedHere } from "../prepared-query.ts";
import type { StoreContext } from "../store-context.ts";

export interface LeaseRef {
  id: string;
  leaseToken: string;
}

export interface Ending extends LeaseRef {
  isTaken: boolean;
}

export interface Ended {
  messageDone: string | null;
  /** True for the last open delivery of a message for its alias, if no destination took it. */
  isTakenByNone: boolean;
}

export interface Extension extends LeaseRef {
  until: Date;
}

export interface Deferral extends LeaseRef {
  notBefore: Date;
  failureText: string;
}

/** Ends deliveries. @returns `undefined` for each whose lease was lost, and for composed mail */
export async function finishTogether(
  context: StoreContext,
  endings: readonly Ending[],
): Promise<(Ended | undefined)[]> {
  const rows = await withMessagesLocked(context, endings, (db) => finishPlain(db, endings, context));
  const byId = new Map(rows.map((row) => [row.id, row]));
  const doneSeen = new Set<string>();
  const aliasesSeen = new Set(rows.filter((row) => row.is_taken).map(aliasOf));
  return endings.map(({ id }) => {
    const row = byId.get(id);
    if (row === undefined) return undefined;
    const isDone = row.is_message_done && isFirst(doneSeen, row.message_id);
    const isTakenByNone = row.is_last && isFirst(aliasesSeen, aliasOf(row));
    return { messageDone: isDone ? row.message_id : null, isTakenByNone };
  });
}

interface EndedRow {
  id: string;
  message_id: string;
  alias_id: string | null;
  is_taken: boolean;
  is_message_done: boolean;
  /** Whether no other delivery of the message for this alias is open or was taken. */
  is_last: boolean;
}

const aliasOf = ({ message_id, alias_id }: EndedRow) => `${message_id} ${alias_id}`;

/** Several deliveries may end in one statement; only the first reports the end of their message or alias. */
function isFirst(seen: Set<string>, key: string): boolean {
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

/** @returns false for each delivery that was not deferred: its lease was lost, or it is composed mail */
export async function deferTogether(context: StoreContext, deferrals: readonly Deferral[]): Promise<boolean[]> {
  const rows = await withMessagesLocked(context, deferrals, (db) => deferPlain(db, deferrals, context));
  const ids = new Set(rows.map((row) => row.id));
  return deferrals.map(({ id }) => ids.has(id));
}

/** @returns false for each delivery whose lease was lost, or which the operator dropped after the lease had expired */
export async function extendTogether(db: Database, extensions: readonly Extension[]): Promise<boolean[]> {
  const { rows } = await sql<{ id: string }>`
    UPDATE delivery SET leased_until = given.until FROM unnest(
      ${extensions.map((extension) => extension.id)}::uuid[], ${extensions.map((extension) => extension.leaseToken)}::text[],
      ${extensions.map((extension) => extension.until.toISOString())}::timestamptz[]
    ) AS given (id, token, until)
    WHERE delivery.id = given.id AND delivery.lease_token = given.token AND delivery.state = 'open' AND NOT dropped
    RETURNING delivery.id
  `.execute(db);
  const ids = new Set(rows.map((row) => row.id));
  return extensions.map(({ id }) => ids.has(id));
}

/** Locks messages by id, as deleting an account does, so that endings of one message wait for each other. */
async function withMessagesLocked<Row>(
  { db, signals }: StoreContext,
  held: readonly LeaseRef[],
  work: (db: Database) => Promise<Row[]>,
): Promise<Row[]> {
  if (signals.isAlone) return await work(db);
  return await db.transaction().execute(async (trx) => {
    await sql`
      SELECT FROM message WHERE id IN (SELECT message_id FROM delivery WHERE id = ANY(${held.map(({ id }) => id)}::uuid[]))
      ORDER BY id FOR UPDATE`.execute(trx);
    return await work(trx);
  });
}

/** A condition other than `alias_id =`, for which PostgreSQL may read all waiting mail of the alias. */
const isOfSameAlias = sql`ended.alias_id IS NOT NULL AND delivery.alias_id IS NOT DISTINCT FROM ended.alias_id`;

/** Ends deliveries; all subqueries see the rows as they were before the statement. */
async function finishPlain(db: Database, endings: readonly Ending[], { signals }: StoreContext) {
  const { rows } = await sql<EndedRow>`${preparedHere(db, signals)}
    WITH ended AS (
      DELETE FROM delivery USING unnest(
        ${endings.map((ending) => ending.id)}::uuid[], ${endings.map((ending) => ending.leaseToken)}::text[],
        ${endings.map((ending) => ending.isTaken)}::boolean[]
      ) AS given (id, token, is_taken), message
      WHERE delivery.id = given.id AND delivery.lease_token = given.token
        AND message.id = delivery.message_id AND message.email_job_id IS NULL
      RETURNING delivery.id, delivery.message_id, delivery.alias_id, delivery.taken_beside, given.is_taken
    ), beside AS (
      UPDATE delivery SET taken_beside = true FROM ended
      WHERE ended.is_taken AND delivery.message_id = ended.message_id AND ${isOfSameAlias}
        AND delivery.id NOT IN (SELECT ended.id FROM ended)
    ), done AS (
      DELETE FROM message WHERE id IN (SELECT message_id FROM ended) AND NOT EXISTS (
        SELECT FROM delivery WHERE delivery.message_id = message.id AND delivery.id NOT IN (SELECT ended.id FROM ended))
      RETURNING id
    )
    SELECT ended.id, ended.message_id, ended.alias_id, ended.is_taken, done.id IS NOT NULL AS is_message_done,
      NOT ended.taken_beside AND (done.id IS NOT NULL OR NOT EXISTS (
        SELECT FROM delivery WHERE delivery.message_id = ended.message_id AND ${isOfSameAlias}
          AND delivery.id NOT IN (SELECT ended.id FROM ended))) AS is_last
    FROM ended LEFT JOIN done ON done.id = ended.message_id
  `.execute(db);
  return rows;
}

async function deferPlain(db: Database, deferrals: readonly Deferral[], { signals }: StoreContext) {
  const { rows } = await sql<{ id: string }>`${preparedHere(db, signals)}
    UPDATE delivery SET not_before = given.not_before, lease_token = NULL, leased_until = NULL,
      attempts = attempts + 1, last_failure = given.failure
    FROM unnest(
      ${deferrals.map((deferral) => deferral.id)}::uuid[], ${deferrals.map((deferral) => deferral.leaseToken)}::text[],
      ${deferrals.map((deferral) => deferral.notBefore.toISOString())}::timestamptz[],
      ${deferrals.map((deferral) => deferral.failureText)}::text[]
    ) AS given (id, token, not_before, failure), message
    WHERE delivery.id = given.id AND delivery.lease_token = given.token AND delivery.state = 'open'
      AND message.id = delivery.message_id AND message.email_job_id IS NULL
    RETURNING delivery.id
  `.execute(db);
  return rows;
}

/** @returns the jobs of those that are composed mail */
export async function putBack({ db, signals }: StoreContext, deliveries: readonly PutBack[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`${preparedHere(db, signals)}
    WITH given (id, token, not_before) AS (
      SELECT * FROM unnest(
        ${deliveries.map((delivery) => delivery.id)}::uuid[], ${deliveries.map((delivery) => delivery.leaseToken)}::text[],
        ${deliveries.map((delivery) => delivery.notBefore.toISOString())}::timestamptz[])
    ), back AS (
      UPDATE delivery SET not_before = given.not_before, lease_token = NULL, leased_until = NULL, is_sending = false
      FROM given
      WHERE delivery.id = given.id AND delivery.lease_token = given.token AND delivery.state = 'open'
      RETURNING delivery.message_id
    )
    SELECT DISTINCT message.email_job_id AS id FROM back JOIN message ON message.id = back.message_id
    WHERE message.email_job_id IS NOT NULL
  `.execute(db);
  return rows.map((row) => row.id);
}

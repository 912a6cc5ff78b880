/**
 * Claims due deliveries in turns between accounts, from a bounded number of rows. At that bound it goes on from account
 * to account by an index, so that thousands of rows of one do not hide the others'. The cost does not depend on the
 * length of the queue.
 */
import { limits } from "@kauke/contract";
import { type RawBuilder, sql } from "kysely";
import type {
  Claimed,
  ClaimOptions,
  Delivery,
  DeliveryFailure,
  DeliveryTarget,
  LeasedDelivery,
  UnreadableDelivery,
} from "../../core/delivery/delivery.ts";
import type { MessageEnvelope } from "../../core/message/message.ts";
import type { ChangeSignals } from "../change-signals.ts";
import type { Database } from "../database.ts";
import { preparedHere } from "../prepared-query.ts";
import { registeredFromText } from "../rows/accounts/user-document.ts";
import type { ServerKeys } from "../sealing/server-keys.ts";

/** Priority of the server's own mail, above all that accounts can set. */
export const OWN_PRIORITY = 100;

/** Rows that a claim reads from each queue for every row it may return. */
const WINDOW_FACTOR = 4;
const WINDOW_MIN = 64;
const TURNS_MAX = 256;
/** Rows of the server's own mail for one account in one claim. */
const OWN_PER_ACCOUNT = 4;
const FIRST_ACCOUNT = "00000000-0000-0000-0000-000000000000";

export interface ClaimDeps {
  db: Database;
  signals: Pick<ChangeSignals, "isAlone">;
  keys: ServerKeys;
  envelopeOf(messageId: string, sealed: Buffer): MessageEnvelope;
  readFailure(text: string): DeliveryFailure;
}

interface ClaimedRow {
  id: string;
  message_id: string;
  alias_id: string | null;
  user_id: string | null;
  registered_from_index: Buffer | null;
  attempts: number;
  created_at: Date;
  sealed: Buffer;
  lease_token: string;
  leased_until: Date;
  envelope: Buffer;
  size_bytes: number;
  priority: number;
  due_at: Date;
  max_retries: number | null;
  dropped: boolean;
  last_failure: string | null;
}

const DUE_AT = sql`coalesce(leased_until, not_before)`;

/** Returns a claim function that remembers the account whose turn is next. */
export function claimer(deps: ClaimDeps): (options: ClaimOptions) => Promise<Claimed> {
  let turn = FIRST_ACCOUNT;

  return async (options) => {
    const first = await claimOldest(deps, options);
    const left = options.limit - first.usual;
    const { isMore, isCutShort } = first;
    if (!first.isHidden || left <= 0) return { ...read(deps, first.rows), isMore, isCutShort };
    const next = await claimInTurn(deps, { ...options, limit: left }, turn);
    turn = next.turn;
    return { ...read(deps, [...first.rows, ...next.rows]), isMore: true, isCutShort: true };
  };
}

interface Oldest {
  rows: ClaimedRow[];
  usual: number;
  isMore: boolean;
  /** Whether the claim's own limits left out due deliveries, not an account's share. */
  isCutShort: boolean;
  /** Whether the maximum of rows read may have hidden due rows of other accounts. */
  isHidden: boolean;
}

async function claimOldest(deps: ClaimDeps, options: ClaimOptions): Promise<Oldest> {
  const { now, limit, ownLimit = limit, perAccount = limit, full = [], running = new Map() } = options;
  const window = limit === 0 ? 0 : Math.max(limit * WINDOW_FACTOR, WINDOW_MIN);
  const ownWindow = ownLimit === 0 ? 0 : Math.max(ownLimit * WINDOW_FACTOR, WINDOW_MIN);
  const isDue = sql`state = 'open' AND ${DUE_AT} <= ${now}::timestamptz`;
  const columns = sql`id, user_id, priority, ${DUE_AT} AS due_at`;
  const candidates = sql`
    own_seen AS MATERIALIZED (
      SELECT ${columns} FROM delivery WHERE ${isDue} AND priority > 0 AND priority = ${OWN_PRIORITY}::integer
      ORDER BY ${DUE_AT} LIMIT ${ownWindow}::integer
    ), urgent_seen AS MATERIALIZED (
      SELECT seen.* FROM generate_series(${limits.priorityMax}::integer, 1, -1) AS level CROSS JOIN LATERAL (
        SELECT ${columns} FROM delivery WHERE ${isDue} AND priority > 0 AND priority = level
        ORDER BY ${DUE_AT} LIMIT ${window}::integer
      ) seen LIMIT ${window}::integer
    ), due_seen AS MATERIALIZED (
      SELECT ${columns} FROM delivery WHERE ${isDue} ORDER BY ${DUE_AT} LIMIT ${window}::integer
    ), seen AS (
      SELECT *, true AS is_own FROM own_seen
      UNION ALL SELECT *, false FROM urgent_seen
      UNION ALL SELECT *, false FROM due_seen WHERE priority = 0
    ), ranked AS (
      SELECT *, row_number() OVER (PARTITION BY is_own, user_id ORDER BY priority DESC, due_at) AS nth FROM seen
      WHERE is_own OR user_id IS NULL OR user_id <> ALL(${full}::uuid[])
    ), placed AS (
      SELECT id, is_own, row_number() OVER (
        PARTITION BY is_own ORDER BY nth + coalesce(running.attempts, 0), priority DESC, due_at
      ) AS place
      FROM ranked LEFT JOIN unnest(${[...running.keys()]}::uuid[], ${[...running.values()]}::integer[])
        AS running (user_id, attempts) ON running.user_id = ranked.user_id
      WHERE nth <= CASE WHEN is_own THEN ${OWN_PER_ACCOUNT}::integer ELSE ${perAccount}::integer END
    ), counts AS (
      SELECT (SELECT count(*) FROM seen)::integer AS seen,
        greatest((SELECT count(*) FROM urgent_seen), (SELECT count(*) FROM due_seen))::integer AS largest
    )`;
  const { rows, counts } = await lease<{ seen: number; largest: number }>(deps, candidates, { ...options, ownLimit });
  const usual = rows.filter((row) => row.priority !== OWN_PRIORITY).length;
  const isHidden = window > 0 && counts.largest >= window;
  return {
    rows,
    usual,
    isMore: rows.length < counts.seen || limit === 0 || ownLimit === 0,
    isCutShort: isHidden || (limit > 0 && usual >= limit) || (ownLimit > 0 && rows.length - usual >= ownLimit),
    isHidden,
  };
}

/** Claims one due row of each account after `turn`, and one without an account. @returns the last account visited */
async function claimInTurn(deps: ClaimDeps, options: ClaimOptions, turn: string) {
  const { now, limit, full = [] } = options;
  const isDue = sql`state = 'open' AND ${DUE_AT} <= ${now}::timestamptz`;
  const candidates = sql`
    turn (user_id, nth) AS (
      (SELECT user_id, 1 FROM delivery WHERE user_id > ${turn}::uuid ORDER BY user_id LIMIT 1)
      UNION ALL
      SELECT next.user_id, turn.nth + 1 FROM turn CROSS JOIN LATERAL (
        SELECT user_id FROM delivery WHERE delivery.user_id > turn.user_id ORDER BY user_id LIMIT 1
      ) next WHERE turn.nth < ${TURNS_MAX}::integer
    ), placed AS (
      SELECT head.id, false AS is_own, turn.nth AS place FROM turn CROSS JOIN LATERAL (
        SELECT id FROM delivery WHERE delivery.user_id = turn.user_id AND ${isDue} ORDER BY ${DUE_AT} LIMIT 1
      ) head WHERE turn.user_id <> ALL(${full}::uuid[])
      UNION ALL
      (SELECT id, false, 0 FROM delivery WHERE user_id IS NULL AND ${isDue} ORDER BY ${DUE_AT} LIMIT 1)
    ), counts AS (
      SELECT (SELECT count(*) FROM turn)::integer AS turns,
        (SELECT user_id FROM turn ORDER BY nth DESC LIMIT 1) AS last_turn
    )`;
  const { rows, counts } = await lease<{ turns: number; last_turn: string | null }>(deps, candidates, options);
  const lastClaimed = rows.map((row) => row.user_id ?? "").reduce((a, b) => (a > b ? a : b), "");
  if (rows.length >= limit && lastClaimed !== "") return { rows, turn: lastClaimed };
  return { rows, turn: counts.turns < TURNS_MAX ? FIRST_ACCOUNT : (counts.last_turn ?? FIRST_ACCOUNT) };
}

/** Leases unlocked candidates in order, and marks composed mail as being sent. @param candidates with `placed` and `counts` */
async function lease<Counts extends object>(
  { db, signals }: ClaimDeps,
  candidates: RawBuilder<unknown>,
  { now, leaseMs, limit, ownLimit = 0 }: ClaimOptions,
): Promise<{ rows: ClaimedRow[]; counts: Counts }> {
  const until = new Date(now.getTime() + leaseMs);
  // Candidates are joined row by row, since a join of the tables may read every due row.
  const locked = sql`CROSS JOIN LATERAL (
      SELECT id, ${DUE_AT} AS due_at FROM delivery
      WHERE delivery.id = next.id AND state = 'open' AND ${DUE_AT} <= ${now}::timestamptz FOR UPDATE SKIP LOCKED
    ) AS due_row`;
  const { rows } = await sql<ClaimedRow & Counts>`${preparedHere(db, signals)}
    WITH RECURSIVE ${candidates}, own_due AS MATERIALIZED (
      SELECT due_row.* FROM (SELECT id FROM placed WHERE is_own ORDER BY place) AS next ${locked}
      LIMIT ${ownLimit}::integer
    ), usual_due AS MATERIALIZED (
      SELECT due_row.* FROM (SELECT id FROM placed WHERE NOT is_own ORDER BY place) AS next ${locked}
      LIMIT ${limit}::integer
    ), due AS (
      SELECT * FROM own_due UNION ALL SELECT * FROM usual_due
    ), claimed AS (
      UPDATE delivery SET lease_token = gen_random_uuid()::text, leased_until = ${until}::timestamptz,
        is_sending = message.email_job_id IS NOT NULL
      FROM due, message
      WHERE delivery.id = due.id AND message.id = delivery.message_id
      RETURNING delivery.id, delivery.message_id, delivery.alias_id, delivery.user_id, delivery.attempts,
        delivery.created_at, delivery.sealed, delivery.lease_token, delivery.leased_until, delivery.priority, delivery.dropped,
        delivery.last_failure,
        message.sealed AS envelope, message.size_bytes, message.email_job_id, due.due_at
    )
    SELECT counts.*, claimed.*, email_job.max_retries, "user".registered_from_index FROM counts
    LEFT JOIN claimed ON true LEFT JOIN email_job ON email_job.id = claimed.email_job_id
    LEFT JOIN "user" ON "user".id = claimed.user_id
  `.execute(db);
  return { rows: rows.filter((row) => row.id !== null), counts: rows[0] as Counts };
}

/** Opens rows one by one: all are leased, and an unreadable one must not block the others. */
function read(deps: ClaimDeps, rows: readonly ClaimedRow[]): Pick<Claimed, "deliveries" | "unreadable"> {
  const deliveries: LeasedDelivery[] = [];
  const unreadable: UnreadableDelivery[] = [];
  for (const row of rows.toSorted((a, b) => b.priority - a.priority || a.due_at.getTime() - b.due_at.getTime())) {
    const delivery = tryToRead(deps, row);
    if (delivery === null) unreadable.push({ ...plainPart(row), leaseToken: row.lease_token });
    else deliveries.push(delivery);
  }
  return { deliveries, unreadable };
}

function tryToRead({ keys, envelopeOf, readFailure }: ClaimDeps, row: ClaimedRow): LeasedDelivery | null {
  try {
    const target = keys.open<DeliveryTarget>("delivery", row.id, row.sealed);
    const envelope = envelopeOf(row.message_id, row.envelope);
    if (!isTarget(target) || Number.isNaN(envelope.receivedAt.getTime())) return null;
    const lease = { leaseToken: row.lease_token, leasedUntil: row.leased_until };
    const registeredFrom = registeredFromText(row.registered_from_index);
    const account = registeredFrom === undefined ? {} : { registeredFrom };
    const dropped = row.dropped ? { isDropped: true as const } : {};
    const failed = row.last_failure === null ? {} : { lastFailure: readFailure(row.last_failure) };
    return {
      ...plainPart(row),
      ...account,
      ...lease,
      ...dropped,
      ...failed,
      target,
      envelope,
      sizeBytes: row.size_bytes,
    };
  } catch {
    return null;
  }
}

/** False for a document that another version of the program wrote in another form. */
function isTarget(target: DeliveryTarget): boolean {
  const { destination, aliasAddress } = target;
  const where: unknown = destination.kind === "mailbox" ? destination.address : destination.url;
  return typeof where === "string" && typeof aliasAddress === "string";
}

function plainPart(row: ClaimedRow): Omit<Delivery, "target"> & Pick<LeasedDelivery, "maxRetries"> {
  return {
    id: row.id,
    messageId: row.message_id,
    aliasId: row.alias_id,
    userId: row.user_id,
    attempts: row.attempts,
    createdAt: row.created_at,
    ...(row.max_retries === null ? {} : { maxRetries: row.max_retries }),
  };
}

/** The outbox to the forwarding provider; `wantAtProvider` runs in every transaction that changes what it should have. */
import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { limits } from "@kauke/contract";
import { type Selectable, sql } from "kysely";
import { type KnownRecord, nothingKnown } from "../../core/forwarding/forwarding-provider.ts";
import type {
  ClaimedAlias,
  ClaimOutcome,
  KnownAlias,
  ProviderAliasStore,
  ProviderFigures,
  Unfinished,
  UnfinishedAlias,
} from "../../core/forwarding/provider-alias.ts";
import type { Database, InTransaction, ProviderAliasTable } from "../database.ts";
import { SealError } from "../sealing/seal.ts";
import type { ServerKeys } from "../sealing/server-keys.ts";
import type { StoreContext } from "../store-context.ts";
import type { AliasDocument } from "./aliases/alias-document.ts";
import { anyOfIds } from "./sql-parts.ts";

/** A statement for this many rows blocks the embedded database's event loop for some 10 ms. */
const WANTED_AT_ONCE = 500;

/**
 * Makes aliases due at the provider, deleted ones too, from the transaction's commit on. Call it last: it locks rows of
 * provider_alias in the order of their ids, and a lock of another table after them could deadlock.
 */
export async function wantAtProvider(trx: InTransaction, aliasIds: readonly string[], now: Date): Promise<void> {
  const inOrder = aliasIds.toSorted();
  for (let from = 0; from < inOrder.length; from += WANTED_AT_ONCE) {
    const ids = anyOfIds(inOrder.slice(from, from + WANTED_AT_ONCE));
    await sql`
      INSERT INTO provider_alias AS mine (alias_id, user_id, waiting_since, due_at)
      SELECT id, user_id, ${now}::timestamptz, ${now}::timestamptz FROM (
        SELECT id, user_id FROM alias WHERE id = ${ids}
        UNION SELECT alias_id, user_id FROM provider_alias WHERE alias_id = ${ids}) AS given
      ORDER BY id
      ON CONFLICT (alias_id) DO UPDATE SET wanted = mine.wanted + 1, due_at = excluded.due_at, tries = 0,
        waiting_since = CASE WHEN mine.wanted = mine.done THEN excluded.waiting_since ELSE mine.waiting_since END
    `.execute(trx);
    if (inOrder.length > WANTED_AT_ONCE) await nextTurn();
  }
}

/** As `wantAtProvider`, for aliases that the transaction inserted. */
export async function wantNew(
  { signals }: StoreContext,
  trx: InTransaction,
  { userId, aliasIds }: { userId: string; aliasIds: readonly string[] },
): Promise<void> {
  if (!signals.hasProvider || aliasIds.length === 0) return;
  await lockAliasList(trx, userId, "new alias");
  await signals.wantAtProvider(trx, aliasIds);
}

/**
 * A change of an account that concerns all its aliases waits for new aliases to be committed, and a new alias for such a
 * change: without this, a worker could read the alias before the change that has not seen the alias.
 */
export async function lockAliasList(trx: InTransaction, userId: string, by: "change" | "new alias"): Promise<void> {
  const key = Buffer.from(userId.replaceAll("-", ""), "hex").readBigInt64BE(0).toString();
  if (by === "change") await sql`SELECT pg_advisory_xact_lock(${key}::bigint)`.execute(trx);
  else await sql`SELECT pg_advisory_xact_lock_shared(${key}::bigint)`.execute(trx);
}

export interface ProviderAliasRows extends ProviderAliasStore {
  /** With our own engine, deletes rows of deleted aliases that were last changed before `before`. */
  forgetGone(before: Date): Promise<number>;
  /** Ends the leases of the previous process, which the caller knows to have ended. */
  endLeases(): Promise<void>;
}

export function providerAliasStore(context: StoreContext): ProviderAliasRows {
  const { db, keys, clock } = context;
  const rowOf = ({ aliasId, lease }: ClaimedAlias) =>
    db.updateTable("provider_alias").where("alias_id", "=", aliasId).where("lease", "=", lease);
  return {
    claim: claimer(context),
    note: async (claimed, known) => {
      const sealed = keys.seal("provider_alias", claimed.aliasId, known);
      return (await rowOf(claimed).set({ sealed }).executeTakeFirst()).numUpdatedRows > 0n;
    },
    settle: (claimed, outcome) => settle(context, claimed, outcome),
    release: async (claimed) => {
      // The token of an interrupted claim stays, since the provider is yet to be asked what became of its call.
      const lease = claimed.wasInterrupted ? claimed.lease : null;
      await rowOf(claimed).set({ lease, leased_until: null }).execute();
    },
    unfinished: (userId) => unfinished(db, userId),
    heldOf: async (userId, aliasId) => {
      const rows = db.selectFrom("provider_alias").select("held").where("alias_id", "=", aliasId);
      return (await rows.where("user_id", "=", userId).executeTakeFirst())?.held ?? null;
    },
    tryNow: async (userId, aliasId) => {
      const mine = db.updateTable("provider_alias").set({ due_at: clock.now() }).where("alias_id", "=", aliasId);
      const waiting = mine.where("user_id", "=", userId).whereRef("wanted", "<>", "done");
      return (await waiting.executeTakeFirst()).numUpdatedRows > 0n;
    },
    wantAll: (after, most) => wantAll(context, after, most),
    figures: () => readFigures(db),
    countUnpushed: () => countUnpushed(db),
    knownOf: async (aliasIds) => {
      const rows = db.selectFrom("provider_alias").select(["alias_id", "user_id", "wanted", "done", "sealed"]);
      const found = await rows.where("alias_id", "=", anyOfIds(aliasIds)).execute();
      const known = found.map((row): [string, KnownAlias] => [
        row.alias_id,
        { ...openKnown(keys, row), userId: row.user_id, isInStep: row.wanted === row.done },
      ]);
      return new Map(known);
    },
    adopt: (aliasId, known) => adopt(context, aliasId, known),
    forgetGone: (before) => forgetGone(context, before),
    endLeases: async () => {
      // The token stays: it tells the next claim that a call may have been carried out.
      await db.updateTable("provider_alias").set({ leased_until: null }).where("lease", "is not", null).execute();
    },
  };
}

/** An unreadable document is nothing known: our mark in the provider's copy tells that it is ours. */
export function openKnown(keys: ServerKeys, row: Pick<ProviderAliasTable, "alias_id" | "sealed">): KnownRecord {
  if (row.sealed === null) return nothingKnown;
  try {
    return keys.open<KnownRecord>("provider_alias", row.alias_id, row.sealed);
  } catch (thrown) {
    if (thrown instanceof SealError) return nothingKnown;
    throw thrown;
  }
}

const IS_DUE = (now: Date) => sql`due_at IS NOT NULL AND coalesce(leased_until, due_at) <= ${now}::timestamptz`;

/** Rows that a claim looks at in the order of their due times; with more due, accounts are visited in turns. */
const WINDOW = 64;
const ACCOUNTS_VISITED = 256;
const FIRST_ACCOUNT = "00000000-0000-0000-0000-000000000000";

/** The cost of a claim depends neither on the number of due rows nor on that of rows that wait for a later time. */
function claimer({ db, keys, clock }: StoreContext): ProviderAliasStore["claim"] {
  let lastAccount = FIRST_ACCOUNT;
  return async ({ most, leaseMs }) => {
    const now = clock.now();
    const oldest = await oldestDue(db, now);
    const visited = oldest.length < WINDOW ? [] : await visitAccounts(db, now, lastAccount);
    const heads = visited.flatMap((account) => (account.alias_id === null ? [] : [account.alias_id]));
    if (oldest.length === WINDOW) {
      const isRound = visited.length < ACCOUNTS_VISITED && heads.length < most;
      const last = visited.findLast(({ alias_id }) => heads.length < most || alias_id === heads[most - 1]);
      lastAccount = isRound ? FIRST_ACCOUNT : (last?.user_id ?? FIRST_ACCOUNT);
    }
    const ids = [...new Set([...heads, ...inTurns(oldest)])];
    const rows = ids.length === 0 ? [] : await leaseRows(db, { ids, most, now, leaseMs });
    return rows.map((row) => ({
      aliasId: row.alias_id,
      userId: row.user_id,
      lease: row.lease,
      version: row.wanted,
      tries: row.tries,
      known: openKnown(keys, row),
      isRecheck: row.is_recheck,
      wasInterrupted: row.was_leased,
    }));
  };
}

interface DueRow {
  alias_id: string;
  user_id: string;
}

async function oldestDue(db: Database, now: Date): Promise<DueRow[]> {
  const { rows } = await sql<DueRow>`SELECT alias_id, user_id FROM provider_alias WHERE ${IS_DUE(now)}
    ORDER BY coalesce(leased_until, due_at) LIMIT ${sql.lit(WINDOW)}`.execute(db);
  return rows;
}

/** The first row of each account, then the second of each, and so on. */
function inTurns(rows: readonly DueRow[]): string[] {
  const ofAccounts = [...Map.groupBy(rows, (row) => row.user_id).values()];
  const nths = ofAccounts.flatMap((own) => own.map(({ alias_id }, nth) => ({ alias_id, nth })));
  return nths.sort((a, b) => a.nth - b.nth).map(({ alias_id }) => alias_id);
}

/** Accounts with rows after the last visited one, each with its oldest due row or with none. */
async function visitAccounts(db: Database, now: Date, lastAccount: string) {
  const { rows } = await sql<{ user_id: string; alias_id: string | null }>`
    WITH RECURSIVE account (user_id, nth) AS (
      (SELECT user_id, 1 FROM provider_alias WHERE due_at IS NOT NULL AND user_id > ${lastAccount}::uuid
        ORDER BY user_id LIMIT 1)
      UNION ALL
      SELECT next.user_id, account.nth + 1 FROM account CROSS JOIN LATERAL (
        SELECT user_id FROM provider_alias WHERE due_at IS NOT NULL AND provider_alias.user_id > account.user_id
        ORDER BY user_id LIMIT 1
      ) AS next WHERE account.nth < ${sql.lit(ACCOUNTS_VISITED)}
    )
    SELECT account.user_id, head.alias_id FROM account LEFT JOIN LATERAL (
      SELECT alias_id FROM provider_alias WHERE provider_alias.user_id = account.user_id AND ${IS_DUE(now)}
      ORDER BY coalesce(leased_until, due_at) LIMIT 1
    ) AS head ON true ORDER BY account.nth`.execute(db);
  return rows;
}

interface LeasedRow
  extends Pick<Selectable<ProviderAliasTable>, "alias_id" | "user_id" | "wanted" | "tries" | "sealed"> {
  lease: string;
  was_leased: boolean;
  is_recheck: boolean;
}

interface Leasing {
  ids: readonly string[];
  most: number;
  now: Date;
  leaseMs: number;
}

/** Leases the first rows that are still due; one that another process is leasing is skipped. */
async function leaseRows(db: Database, { ids, most, now, leaseMs }: Leasing): Promise<LeasedRow[]> {
  const { rows } = await sql<LeasedRow>`
    WITH due AS MATERIALIZED (
      SELECT found.* FROM (
        SELECT id FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS given (id, place) ORDER BY place
      ) AS next CROSS JOIN LATERAL (
        SELECT alias_id, lease IS NOT NULL AS was_leased, coalesce(recheck_at <= ${now}::timestamptz, false) AS is_recheck
        FROM provider_alias WHERE alias_id = next.id AND ${IS_DUE(now)} FOR UPDATE SKIP LOCKED
      ) AS found LIMIT ${most}::integer
    )
    UPDATE provider_alias SET lease = ${randomUUID()}::uuid,
      leased_until = ${new Date(now.getTime() + leaseMs)}::timestamptz
    FROM due WHERE provider_alias.alias_id = due.alias_id
    RETURNING provider_alias.alias_id, user_id, wanted, tries, sealed, lease, due.was_leased, due.is_recheck
  `.execute(db);
  return rows;
}

async function settle(context: StoreContext, claimed: ClaimedAlias, outcome: ClaimOutcome): Promise<void> {
  const { db, keys, signals } = context;
  const { aliasId, lease, version } = claimed;
  const isIdNew = await db.transaction().execute(async (trx) => {
    // The alias is locked first, as in every transaction that makes it due.
    const lockedAlias = trx.selectFrom("alias").select("sealed").where("id", "=", aliasId).forUpdate();
    const alias = await lockedAlias.executeTakeFirst();
    const mine = trx.selectFrom("provider_alias").selectAll().where("alias_id", "=", aliasId);
    const row = await mine.where("lease", "=", lease).forUpdate().executeTakeFirst();
    if (row === undefined) return false;
    const recheckAt = outcome.recheckAt ?? (claimed.isRecheck ? null : row.recheck_at);
    if (outcome.kind === "gone" && recheckAt === null && row.wanted === version) {
      await trx.deleteFrom("provider_alias").where("alias_id", "=", aliasId).execute();
      return false;
    }
    const change = {
      ...settledTimes({ row, version, outcome, recheckAt }),
      lease: null,
      leased_until: null,
      sealed: keys.seal("provider_alias", aliasId, outcome.known),
      held: outcome.kind === "failed" ? row.held : outcome.kind === "done" ? outcome.held : null,
      problem: outcome.kind === "failed" ? outcome.problem : null,
    };
    await trx.updateTable("provider_alias").set(change).where("alias_id", "=", aliasId).execute();
    if (alias === undefined) return false;
    const document = keys.open<AliasDocument>("alias", aliasId, alias.sealed);
    if (document.providerId === outcome.known.providerId) return false;
    const sealed = keys.seal("alias", aliasId, { ...document, providerId: outcome.known.providerId });
    await trx.updateTable("alias").set({ sealed }).where("id", "=", aliasId).execute();
    await signals.announceStale(trx, [aliasId]);
    return true;
  });
  if (isIdNew) await signals.routeChanged({ aliasId });
}

interface Settled {
  row: Selectable<ProviderAliasTable>;
  version: number;
  outcome: ClaimOutcome;
  recheckAt: Date | null;
}

function settledTimes({ row, version, outcome, recheckAt }: Settled) {
  const isDone = outcome.kind !== "failed";
  const done = isDone ? version : row.done;
  // A change that came meanwhile stays due at once, and its tries are counted anew.
  if (row.wanted !== version)
    return { done, recheck_at: recheckAt, ...(isDone ? { waiting_since: row.due_at ?? row.waiting_since } : {}) };
  if (isDone) return { done, recheck_at: recheckAt, due_at: recheckAt, tries: 0 };
  const isRecheckFirst = recheckAt !== null && recheckAt < outcome.notBefore;
  return {
    done,
    recheck_at: recheckAt,
    due_at: isRecheckFirst ? recheckAt : outcome.notBefore,
    tries: row.tries + 1,
  };
}

interface CountedRow
  extends Pick<Selectable<ProviderAliasTable>, "alias_id" | "wanted" | "done" | "problem" | "held" | "due_at"> {
  waiting: number;
  failed: number;
  held_count: number;
}

/** Failed ones first, then those that wait, then those that are off. Deletions wait unseen: nobody can open the alias. */
async function unfinished(db: Database, userId: string): Promise<Unfinished> {
  const { rows } = await sql<CountedRow>`
    SELECT alias_id, wanted, done, problem, held, due_at,
      count(*) FILTER (WHERE wanted <> done AND problem IS NULL) OVER () AS waiting,
      count(*) FILTER (WHERE wanted <> done AND problem IS NOT NULL) OVER () AS failed,
      count(*) FILTER (WHERE wanted = done) OVER () AS held_count
    FROM provider_alias WHERE user_id = ${userId} AND (wanted <> done OR held IS NOT NULL)
      AND EXISTS (SELECT FROM alias WHERE alias.id = provider_alias.alias_id)
    ORDER BY wanted = done, problem IS NULL, waiting_since, alias_id LIMIT ${limits.unfinishedShown}::integer`.execute(
    db,
  );
  const { waiting = 0, failed = 0, held_count: held = 0 } = rows[0] ?? {};
  return { counts: { waiting, failed, held }, aliases: rows.map(toUnfinished) };
}

function toUnfinished({ alias_id: aliasId, wanted, done, problem, held, due_at }: CountedRow): UnfinishedAlias {
  if (wanted === done) return { aliasId, state: "held", problem: null, held, nextTryAt: null };
  return { aliasId, state: problem === null ? "waiting" : "failed", problem, held: null, nextTryAt: due_at };
}

async function readFigures(db: Database): Promise<ProviderFigures> {
  const { rows } = await sql<{ waiting: number; failed: number; held: number; oldest: Date | null }>`
    SELECT count(*) FILTER (WHERE wanted <> done AND problem IS NULL) AS waiting,
      count(*) FILTER (WHERE wanted <> done AND problem IS NOT NULL) AS failed,
      count(*) FILTER (WHERE wanted = done) AS held, min(waiting_since) FILTER (WHERE wanted <> done) AS oldest
    FROM provider_alias WHERE wanted <> done OR held IS NOT NULL`.execute(db);
  const { oldest = null, ...counts } = rows[0] ?? { waiting: 0, failed: 0, held: 0 };
  return { ...counts, oldestWaitingAt: oldest };
}

async function countUnpushed(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM alias
    WHERE NOT EXISTS (SELECT FROM provider_alias WHERE provider_alias.alias_id = alias.id)`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

async function wantAll({ db, clock }: StoreContext, after: string | null, most: number): Promise<string | null> {
  return db.transaction().execute(async (trx) => {
    const rows = trx.selectFrom("alias").select("id").orderBy("id").limit(most).forUpdate();
    const ids = (await (after === null ? rows : rows.where("id", ">", after)).execute()).map((row) => row.id);
    await wantAtProvider(trx, ids, clock.now());
    return ids.length < most ? null : (ids.at(-1) ?? null);
  });
}

/**
 * Makes all rows due when our own engine starts: nothing tells the provider what changes while the engine runs, so
 * everything is compared anew once the provider is back. A copy that is still right costs no call then. Rows that were
 * never due are of copies whose adoption was not finished, which are not ours to delete.
 */
export async function makeAllDue(db: Database, now: Date): Promise<void> {
  await sql`UPDATE provider_alias SET wanted = wanted + 1, due_at = ${now}::timestamptz,
    waiting_since = ${now}::timestamptz WHERE wanted = done AND wanted > 0`.execute(db);
}

/** Longer than any wait and any lease. */
const LONGEST_WAIT_MS = 2 * 3_600_000;

/** Makes aliases due whose time was set before the clock was set back. */
export async function makeFutureAliasesDue(db: Database, now: Date): Promise<void> {
  const future = new Date(now.getTime() + LONGEST_WAIT_MS);
  await sql`UPDATE provider_alias SET due_at = ${now}::timestamptz, leased_until = NULL WHERE alias_id IN (
    SELECT alias_id FROM provider_alias
    WHERE due_at IS NOT NULL AND coalesce(leased_until, due_at) > ${future}::timestamptz FOR UPDATE SKIP LOCKED
  )`.execute(db);
}

function adopt({ db, keys, clock }: StoreContext, aliasId: string, known: KnownRecord): Promise<void> {
  return db.transaction().execute(async (trx) => {
    const alias = trx.selectFrom("alias").select("id").where("id", "=", aliasId).forUpdate();
    if ((await alias.executeTakeFirst()) === undefined) return;
    await wantAtProvider(trx, [aliasId], clock.now());
    const sealed = keys.seal("provider_alias", aliasId, known);
    // A worker that has the alias in hand finds the copy by itself.
    const free = trx.updateTable("provider_alias").set({ sealed }).where("alias_id", "=", aliasId);
    await free.where((row) => row.or([row("lease", "is", null), row("leased_until", "<=", clock.now())])).execute();
  });
}

/** Without a provider nobody deletes its copies, so rows of deleted aliases would stay for ever. */
async function forgetGone({ db, signals }: StoreContext, before: Date): Promise<number> {
  if (signals.hasProvider) return 0;
  const gone = await sql`DELETE FROM provider_alias
    WHERE waiting_since <= ${before}::timestamptz AND NOT EXISTS (SELECT FROM alias WHERE alias.id = provider_alias.alias_id)`.execute(
    db,
  );
  return Number(gone.numAffectedRows ?? 0n);
}

/** The outbox to the forwarding provider; `want` is called in every transaction that changes what should be there. */
import { randomUUID } from "node:crypto";
import { limits } from "@kauke/contract";
import { type Selectable, sql } from "kysely";
import { type KnownRecord, nothingKnown } from "../../core/forwarding/forwarding-provider.ts";
import type {
  ClaimedAlias,
  ClaimOutcome,
  ProviderAliasStore,
  Unfinished,
  UnfinishedAlias,
} from "../../core/forwarding/provider-alias.ts";
import type { Database, InTransaction, ProviderAliasTable } from "../database.ts";
import type { StoreContext } from "../store-context.ts";
import type { AliasDocument } from "./aliases/alias-document.ts";
import { anyOfIds } from "./sql-parts.ts";

/** Makes aliases due at the provider, deleted ones too, from this transaction's commit on. */
export async function wantAtProvider(trx: InTransaction, aliasIds: readonly string[], now: Date): Promise<void> {
  if (aliasIds.length === 0) return;
  const ids = anyOfIds(aliasIds);
  // Locked in the order of their ids, so that two transactions can't deadlock.
  await trx
    .selectFrom("provider_alias")
    .select("alias_id")
    .where("alias_id", "=", ids)
    .orderBy("alias_id")
    .forUpdate()
    .execute();
  await sql`
    UPDATE provider_alias AS mine SET wanted = mine.wanted + 1, not_before = ${now}, tries = 0,
      turn = CASE WHEN given.is_waiting THEN mine.turn ELSE ${lastTurn("mine")} + given.place END
    FROM (SELECT alias_id, wanted <> done AS is_waiting,
        row_number() OVER (PARTITION BY user_id, wanted <> done ORDER BY alias_id) AS place
      FROM provider_alias WHERE alias_id = ${ids}) AS given
    WHERE mine.alias_id = given.alias_id`.execute(trx);
  await sql`
    INSERT INTO provider_alias (alias_id, user_id, not_before, turn)
    SELECT id, user_id, ${now}, ${lastTurn("alias")} + row_number() OVER (PARTITION BY user_id ORDER BY id)
    FROM alias WHERE id = ${ids} ORDER BY id
    ON CONFLICT (alias_id) DO NOTHING`.execute(trx);
}

/** Turn of the last waiting row of an account. */
function lastTurn(table: "alias" | "mine") {
  return sql`coalesce((SELECT max(others.turn) FROM provider_alias AS others
    WHERE others.user_id = ${sql.ref(`${table}.user_id`)} AND (others.wanted <> others.done)), 0)`;
}

export function providerAliasStore(context: StoreContext): ProviderAliasStore {
  const { db, keys, clock } = context;
  return {
    claim: (options) => claim(context, options),
    note: async (claimed, known) => {
      const sealed = keys.seal("provider_alias", claimed.aliasId, known);
      const mine = db.updateTable("provider_alias").set({ sealed }).where("alias_id", "=", claimed.aliasId);
      return (await mine.where("lease", "=", claimed.lease).executeTakeFirst()).numUpdatedRows > 0n;
    },
    settle: (claimed, outcome) => settle(context, claimed, outcome),
    release: async ({ aliasId, lease }) => {
      const mine = db.updateTable("provider_alias").set({ lease: null, leased_until: null });
      await mine.where("alias_id", "=", aliasId).where("lease", "=", lease).execute();
    },
    unfinished: (userId) => unfinished(db, userId),
    tryNow: async (userId, aliasId) => {
      const mine = db.updateTable("provider_alias").set({ not_before: clock.now() }).where("alias_id", "=", aliasId);
      const waiting = mine.where("user_id", "=", userId).whereRef("wanted", "<>", "done");
      return (await waiting.executeTakeFirst()).numUpdatedRows > 0n;
    },
    wantAll: (after, most) => wantAll(context, after, most),
    countWaiting: async () => {
      const rows = db.selectFrom("provider_alias").whereRef("wanted", "<>", "done");
      return (await rows.select((row) => row.fn.countAll<number>().as("count")).executeTakeFirstOrThrow()).count;
    },
  };
}

interface ClaimedRow
  extends Pick<Selectable<ProviderAliasTable>, "alias_id" | "user_id" | "wanted" | "tries" | "sealed"> {
  was_leased: boolean;
  is_recheck: boolean;
}

async function claim(
  { db, keys, clock }: StoreContext,
  { most, leaseMs }: { most: number; leaseMs: number },
): Promise<ClaimedAlias[]> {
  const now = clock.now();
  const lease = randomUUID();
  const { rows } = await sql<ClaimedRow>`
    WITH due AS (
      SELECT alias_id, lease IS NOT NULL AS was_leased, recheck_at <= ${now} AS is_recheck FROM provider_alias
      WHERE ((wanted <> done AND not_before <= ${now}) OR recheck_at <= ${now})
        AND (leased_until IS NULL OR leased_until <= ${now})
      ORDER BY turn, not_before LIMIT ${most} FOR UPDATE SKIP LOCKED)
    UPDATE provider_alias SET lease = ${lease}, leased_until = ${new Date(now.getTime() + leaseMs)}
    FROM due WHERE provider_alias.alias_id = due.alias_id
    RETURNING provider_alias.alias_id, user_id, wanted, tries, sealed, due.was_leased,
      coalesce(due.is_recheck, false) AS is_recheck`.execute(db);
  return rows.map((row) => ({
    aliasId: row.alias_id,
    userId: row.user_id,
    lease,
    version: row.wanted,
    tries: row.tries,
    known: row.sealed === null ? nothingKnown : keys.open<KnownRecord>("provider_alias", row.alias_id, row.sealed),
    isRecheck: row.is_recheck,
    wasInterrupted: row.was_leased,
  }));
}

async function settle(context: StoreContext, claimed: ClaimedAlias, outcome: ClaimOutcome): Promise<void> {
  const { db, keys, signals } = context;
  const { aliasId, lease, version } = claimed;
  const isIdNew = await db.transaction().execute(async (trx) => {
    // The alias is locked first, as in every transaction that makes it due.
    const lockedAlias = trx.selectFrom("alias").select("sealed").where("id", "=", aliasId).forUpdate();
    const alias = await lockedAlias.executeTakeFirst();
    const mine = trx.selectFrom("provider_alias").select(["wanted", "recheck_at"]).where("alias_id", "=", aliasId);
    const row = await mine.where("lease", "=", lease).forUpdate().executeTakeFirst();
    if (row === undefined) return false;
    const recheckAt = outcome.recheckAt ?? (claimed.isRecheck ? null : row.recheck_at);
    const isOver = outcome.kind === "gone" && recheckAt === null && row.wanted === version;
    if (isOver) {
      await trx.deleteFrom("provider_alias").where("alias_id", "=", aliasId).execute();
      return false;
    }
    const isDone = outcome.kind !== "failed";
    const change = {
      lease: null,
      leased_until: null,
      recheck_at: recheckAt,
      sealed: keys.seal("provider_alias", aliasId, outcome.known),
      held: outcome.kind === "done" ? outcome.held : null,
      problem: outcome.kind === "failed" ? outcome.problem : null,
      ...(isDone ? { done: version, tries: 0 } : { tries: claimed.tries + 1 }),
      // A change that came meanwhile stays due at once.
      ...(outcome.kind === "failed" && row.wanted === version ? { not_before: outcome.notBefore } : {}),
    };
    await trx.updateTable("provider_alias").set(change).where("alias_id", "=", aliasId).execute();
    if (alias === undefined) return false;
    const document = keys.open<AliasDocument>("alias", aliasId, alias.sealed);
    if (document.providerId === outcome.known.providerId) return false;
    const sealed = keys.seal("alias", aliasId, { ...document, providerId: outcome.known.providerId });
    await trx.updateTable("alias").set({ sealed }).where("id", "=", aliasId).execute();
    return true;
  });
  if (isIdNew) await signals.routeChanged({ aliasId });
}

async function unfinished(db: Database, userId: string): Promise<Unfinished> {
  const mine = db
    .selectFrom("provider_alias")
    .where("user_id", "=", userId)
    .where(({ or, eb, ref }) => or([eb("wanted", "<>", ref("done")), eb("held", "is not", null)]));
  const counted = await sql<{ waiting: number; failed: number; held: number }>`
    SELECT count(*) FILTER (WHERE wanted <> done AND problem IS NULL) AS waiting,
      count(*) FILTER (WHERE wanted <> done AND problem IS NOT NULL) AS failed,
      count(*) FILTER (WHERE wanted = done) AS held
    FROM provider_alias WHERE user_id = ${userId} AND (wanted <> done OR held IS NOT NULL)`.execute(db);
  const rows = await mine
    .select(["alias_id", "wanted", "done", "problem", "held", "not_before"])
    .orderBy("turn")
    .orderBy("alias_id")
    .limit(limits.unfinishedShown)
    .execute();
  const aliases = rows.map((row): UnfinishedAlias => {
    if (row.wanted === row.done)
      return { aliasId: row.alias_id, state: "held", problem: null, held: row.held, nextTryAt: null };
    const state = row.problem === null ? ("waiting" as const) : ("failed" as const);
    return { aliasId: row.alias_id, state, problem: row.problem, held: null, nextTryAt: row.not_before };
  });
  return { counts: counted.rows[0] ?? { waiting: 0, failed: 0, held: 0 }, aliases };
}

async function wantAll({ db, clock }: StoreContext, after: string | null, most: number): Promise<string | null> {
  return db.transaction().execute(async (trx) => {
    const rows = trx.selectFrom("alias").select("id").orderBy("id").limit(most).forUpdate();
    const ids = (await (after === null ? rows : rows.where("id", ">", after)).execute()).map((row) => row.id);
    await wantAtProvider(trx, ids, clock.now());
    return ids.length < most ? null : (ids.at(-1) ?? null);
  });
}

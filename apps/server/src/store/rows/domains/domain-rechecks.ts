/** Which own domains are due for a check, leased to one process at a time. */
import { sql } from "kysely";
import type { DomainRecheckStore } from "../../../core/domain/account-domain.ts";
import { bounds } from "../../../limits/table.ts";
import type { StoreContext } from "../../store-context.ts";
import { anyOfIds } from "../sql-parts.ts";

/** Rows that a claim looks at in the order of their due times. */
const WINDOW = 256;
/** Longer than a row is ever due ahead: a later time was stored before the clock was set back. */
const AHEAD_MS = 2 * (bounds.domainRechecks.everyMs + bounds.domainRechecks.spreadMs);

const isDue = (now: Date) => {
  const ahead = new Date(now.getTime() + AHEAD_MS);
  return sql`due_at IS NOT NULL AND (coalesce(leased_until, due_at) <= ${now}::timestamptz
    OR coalesce(leased_until, due_at) > ${ahead}::timestamptz)`;
};

export function domainRecheckStore(context: StoreContext): DomainRecheckStore {
  const { db } = context;
  return {
    claimDue: (options) => claimDue(context, options),
    release: async ({ id, leasedUntil }) => {
      const mine = db.updateTable("account_domain").set({ leased_until: null }).where("id", "=", id);
      await mine.where("leased_until", "=", leasedUntil).execute();
    },
  };
}

interface Claim {
  most: number;
  leaseMs: number;
}

async function claimDue({ db, clock }: StoreContext, { most, leaseMs }: Claim) {
  const now = clock.now();
  const { rows: next } = await sql<{ id: string }>`
    SELECT id FROM (
      SELECT DISTINCT ON (user_id) id, at FROM (
        SELECT id, user_id, coalesce(leased_until, due_at) AS at FROM account_domain WHERE ${isDue(now)}
        ORDER BY at LIMIT ${sql.lit(WINDOW)}
      ) AS oldest WHERE NOT EXISTS (
        SELECT FROM account_domain AS other WHERE other.user_id = oldest.user_id
          AND other.leased_until > ${now}::timestamptz
          AND other.leased_until <= ${new Date(now.getTime() + AHEAD_MS)}::timestamptz
      ) ORDER BY user_id, at
    ) AS first ORDER BY at LIMIT ${most}::integer`.execute(db);
  if (next.length === 0) return [];
  const leasedUntil = new Date(now.getTime() + leaseMs);
  const { rows } = await sql<{ id: string; user_id: string; ends: string | null }>`
    WITH due AS MATERIALIZED (
      SELECT id FROM account_domain WHERE id = ${anyOfIds(next.map(({ id }) => id))} AND ${isDue(now)}
      FOR UPDATE SKIP LOCKED
    )
    UPDATE account_domain SET leased_until = ${leasedUntil}::timestamptz FROM due
    WHERE account_domain.id = due.id RETURNING account_domain.id, account_domain.user_id, account_domain.ends`.execute(
    db,
  );
  return rows.map((row) => ({ id: row.id, userId: row.user_id, leasedUntil, isEnding: row.ends !== null }));
}

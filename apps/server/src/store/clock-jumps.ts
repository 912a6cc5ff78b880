/**
 * Detects hourly that the system clock was set. Without this, queued mail would wait after the clock was set back until
 * it has caught up, and every row would look expired after it was set far forward, although deleted rows cannot be
 * restored.
 */
import { sql } from "kysely";
import { latestKnown } from "../runtime/clock-set-back.ts";
import type { Logger } from "../runtime/ports.ts";
import type { Database } from "./database.ts";
import type { StoreContext } from "./store-context.ts";

/** Milliseconds between two retention runs above which the server was stopped or the clock was set forward. */
const GAP_MS = 12 * 3_600_000;
/** Number of hourly runs that use the time of the last trusted run before a clock that jumped forward is trusted. */
const HELD_RUNS = 24;
/**
 * Maximum remaining lease after the clock was set back. Longer than any real lease, which its worker renews well
 * before.
 */
const LEASE_MS = 15 * 60_000;

const RAN_AT = "retention_ran_at";
const HELD = "retention_held";

/**
 * Makes deliveries due that were queued before the clock was set back, except composed mail scheduled for later.
 * @returns number of deliveries changed
 */
export async function makeFutureMailDue(db: Database, now: Date): Promise<number> {
  const lease = new Date(now.getTime() + LEASE_MS);
  const result = await sql`
    UPDATE delivery SET created_at = ${now}::timestamptz, not_before = least(not_before, ${now}::timestamptz),
      leased_until = CASE WHEN leased_until > ${lease}::timestamptz THEN ${lease}::timestamptz ELSE leased_until END
    WHERE state = 'open' AND created_at > ${latestKnown(now)}::timestamptz AND NOT EXISTS (
      SELECT FROM message JOIN email_job ON email_job.id = message.email_job_id
      WHERE message.id = delivery.message_id AND email_job.scheduled_at > ${now}::timestamptz)`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}

/**
 * Wraps the hourly retention run. When the clock is more than 12 hours ahead of the last run, the clock may be wrong:
 * the first 24 runs then use the time of that last run.
 * @param forget deletes the rows that had expired at `asOf`
 * @returns the hourly run
 */
export function pacedRetention(
  { db, clock }: StoreContext,
  logger: Logger | undefined,
  forget: (asOf: Date) => Promise<unknown>,
): () => Promise<void> {
  return async () => {
    const now = clock.now();
    const count = await makeFutureMailDue(db, now);
    if (count > 0) logger?.warn("clock_set_back", { count });
    const ranAt = await readCounter(db, RAN_AT);
    const held = (await readCounter(db, HELD)) + 1;
    if (ranAt > 0 && now.getTime() - ranAt > GAP_MS && held <= HELD_RUNS) {
      logger?.warn("retention_held", { count: held });
      await writeCounter(db, HELD, held);
      await forget(new Date(ranAt));
      return;
    }
    await forget(now);
    await writeCounter(db, RAN_AT, now.getTime());
    await writeCounter(db, HELD, 0);
  };
}

async function readCounter(db: Database, name: string): Promise<number> {
  const row = await db.selectFrom("counter").select("value").where("name", "=", name).executeTakeFirst();
  return row?.value ?? 0;
}

async function writeCounter(db: Database, name: string, value: number): Promise<void> {
  const insert = db.insertInto("counter").values({ name, value });
  await insert.onConflict((conflict) => conflict.column("name").doUpdateSet({ value })).execute();
}

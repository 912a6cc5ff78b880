/**
 * Rate limits in fixed windows, one row per subject and action. A window starts with its first count; refused attempts
 * count too. The subject is stored only as a keyed hash without a reference to the account, so a row may outlive the
 * account (abuse limits).
 */
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { latestKnown } from "../../core/clock-set-back.ts";
import type {
  RateLimitResult,
  RateLimitStore,
  RateLimitSubject,
  SpacedLimitRule,
} from "../../core/rate-limit/rate-limit.ts";
import type { Database } from "../database.ts";
import type { ServerKeys } from "../sealing/server-keys.ts";
import type { StoreContext } from "../store-context.ts";

/** Maximum value of a row's count, so that a flood does not overflow the integer column. */
const COUNT_CAP = 1_000_000_000;
/**
 * Maximum rows of the table `rate_limit`, of about 150 bytes each; the hourly retention run deletes the rows above it.
 * The limits themselves allow one network a few hundred rows per hour.
 */
const ROWS_MAX = 500_000;

export function rateLimitSubject(keys: ServerKeys, { userId, ipAddress, key }: RateLimitSubject): Buffer {
  return keys.hmac("abuse", JSON.stringify([userId ?? null, ipAddress ?? null, key ?? null]));
}

export function rateLimitStore({ db, keys }: StoreContext, rowsMax = ROWS_MAX): RateLimitStore {
  const subjectIndex = (subject: RateLimitSubject) => rateLimitSubject(keys, subject);
  return {
    take: async (rule, subject, now, weight = 1) => {
      const windowMs = rule.windowSeconds * 1000;
      const ended = sql<boolean>`(rate_limit.window_start <= ${new Date(now.getTime() - windowMs)}::timestamptz
        OR rate_limit.window_start > ${latestKnown(now)}::timestamptz)`;
      const row = await db
        .insertInto("rate_limit")
        .values({
          id: randomUUID(),
          action_type: rule.action,
          subject_index: subjectIndex(subject),
          count: weight,
          window_start: now,
          last_action: now,
        })
        .onConflict((conflict) =>
          conflict.constraint("rate_limit_subject_key").doUpdateSet({
            count: sql<number>`CASE WHEN ${ended} THEN excluded.count
              ELSE least(rate_limit.count + excluded.count, ${sql.lit(COUNT_CAP)}) END`,
            window_start: sql<Date>`CASE WHEN ${ended} THEN excluded.window_start ELSE rate_limit.window_start END`,
            last_action: now,
          }),
        )
        .returning(["count", "window_start"])
        .executeTakeFirstOrThrow();
      const resetAt = new Date(row.window_start.getTime() + windowMs);
      return { allowed: row.count <= rule.max, count: row.count, resetAt };
    },
    takeSpaced: (rule, subject, now) => takeSpaced(db, { rule, subject_index: subjectIndex(subject), now }),
    giveBack: async (action, subject) => {
      await db
        .updateTable("rate_limit")
        .set({ count: sql<number>`greatest(count - 1, 0)` })
        .where("action_type", "=", action)
        .where("subject_index", "=", subjectIndex(subject))
        .execute();
    },
    clear: async (action, subject) => {
      await db
        .deleteFrom("rate_limit")
        .where("action_type", "=", action)
        .where("subject_index", "=", subjectIndex(subject))
        .execute();
    },
    deleteBefore: async (windowStart) => {
      const result = await db.deleteFrom("rate_limit").where("window_start", "<", windowStart).executeTakeFirst();
      return Number(result.numDeletedRows) + (await deleteExcess(db, rowsMax));
    },
  };
}

/**
 * Deletes the rows with the oldest windows beyond the maximum. Nearly all of these windows have ended; deleting one
 * that has not lets a few more attempts through.
 */
async function deleteExcess(db: Database, rowsMax: number): Promise<number> {
  const newest = db.selectFrom("rate_limit").select("window_start").orderBy("window_start", "desc");
  const first = await newest.offset(rowsMax).limit(1).executeTakeFirst();
  if (first === undefined) return 0;
  const gone = db.deleteFrom("rate_limit").where("window_start", "<=", first.window_start);
  return Number((await gone.executeTakeFirst()).numDeletedRows);
}

async function takeSpaced(
  db: Database,
  { rule, subject_index, now }: { rule: SpacedLimitRule; subject_index: Buffer; now: Date },
): Promise<RateLimitResult> {
  const last = sql`rate_limit.last_action`;
  const forgotten = sql<boolean>`(${last} <= ${new Date(now.getTime() - rule.forgetSeconds * 1000)}::timestamptz
    OR ${last} > ${latestKnown(now)}::timestamptz)`;
  const dueAt = sql<Date>`${last} + interval '1 second' * ${waitSeconds(rule)}`;
  const row = await db
    .insertInto("rate_limit")
    .values({
      id: randomUUID(),
      action_type: rule.action,
      subject_index,
      count: 1,
      window_start: now,
      last_action: now,
    })
    .onConflict((conflict) =>
      conflict
        .constraint("rate_limit_subject_key")
        .doUpdateSet({
          count: sql<number>`CASE WHEN ${forgotten} THEN 1 ELSE least(rate_limit.count + 1, ${sql.lit(COUNT_CAP)}) END`,
          window_start: now,
          last_action: now,
        })
        .where(sql<boolean>`${forgotten} OR ${dueAt} <= ${now}::timestamptz`),
    )
    .returning(["count", dueAt.as("reset_at")])
    .executeTakeFirst();
  if (row !== undefined) return { allowed: true, count: row.count, resetAt: row.reset_at };
  const refused = await db
    .selectFrom("rate_limit")
    .select(["count", dueAt.as("reset_at")])
    .where("action_type", "=", rule.action)
    .where("subject_index", "=", subject_index)
    .executeTakeFirst();
  // If the row was deleted since the first statement, the default values apply: the next attempt is allowed at once.
  return { allowed: false, count: refused?.count ?? 0, resetAt: refused?.reset_at ?? now };
}

/**
 * SQL expression for the seconds between the last attempt and the next allowed one, after `rate_limit.count` attempts.
 */
function waitSeconds(rule: SpacedLimitRule) {
  const growth = sql`power(2, least(rate_limit.count - ${rule.free}::integer, 30))`;
  const doubled = sql`least(${rule.firstWaitSeconds ?? 1}::integer * ${growth}, ${rule.longestWaitSeconds}::integer)`;
  return sql<number>`(CASE WHEN rate_limit.count < ${rule.free}::integer THEN 0 ELSE ${doubled} END)`;
}

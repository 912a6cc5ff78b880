/** Rate limits in windows from the first count; refused attempts count too. Subjects are hashes, without an account. */

import { randomUUID } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import type {
  RateLimitResult,
  RateLimitRule,
  RateLimitStore,
  RateLimitSubject,
  SpacedLimitRule,
} from "../../limits/rate.ts";
import { bounds } from "../../limits/table.ts";
import { latestKnown } from "../../runtime/ports.ts";
import type { Database } from "../database.ts";
import type { ServerKeys } from "../sealing/server-keys.ts";
import type { StoreContext } from "../store-context.ts";

/** Maximum count of a row, so that a flood does not overflow the column. */
const COUNT_CAP = 1_000_000_000;

export function rateLimitSubject(keys: ServerKeys, { userId, ipAddress, key }: RateLimitSubject): Buffer {
  return keys.hmac("abuse", JSON.stringify([userId ?? null, ipAddress ?? null, key ?? null]));
}

export function rateLimitStore({ db, keys }: StoreContext, rowsMax = bounds.rateRows.rows): RateLimitStore {
  const subjectIndex = (subject: RateLimitSubject) => rateLimitSubject(keys, subject);
  return {
    take: async (rule, subject, now) => {
      const counting = { rule, subject_index: subjectIndex(subject), now, weight: 1 };
      const row = await countInWindow(db, counting).returning(["count", "window_start"]).executeTakeFirstOrThrow();
      return resultOf(rule, row);
    },
    takeAll: (rule, subject, now, weight) => takeAll(db, { rule, subject_index: subjectIndex(subject), now, weight }),
    takeSpaced: (rule, subject, now) => takeSpaced(db, { rule, subject_index: subjectIndex(subject), now }),
    giveBack: async (action, subject, weight = 1) => {
      await db
        .updateTable("rate_limit")
        .set({ count: sql<number>`greatest(count - ${weight}::integer, 0)` })
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

interface Counting {
  rule: RateLimitRule;
  subject_index: Buffer;
  now: Date;
  weight: number;
}

/** Adds to a count, or begins a new window. @param isWithin whether it may count that much */
function countInWindow(db: Database, { rule, subject_index, now, weight }: Counting, isWithin?: RawBuilder<boolean>) {
  const ended = hasEnded(rule, now);
  const row = { id: randomUUID(), action_type: rule.action, subject_index, count: weight };
  return db
    .insertInto("rate_limit")
    .values({ ...row, window_start: now, last_action: now })
    .onConflict((conflict) => {
      const counted = conflict.constraint("rate_limit_subject_key").doUpdateSet({
        count: sql<number>`CASE WHEN ${ended} THEN excluded.count
          ELSE least(rate_limit.count + excluded.count, ${sql.lit(COUNT_CAP)}) END`,
        window_start: sql<Date>`CASE WHEN ${ended} THEN excluded.window_start ELSE rate_limit.window_start END`,
        last_action: now,
      });
      return isWithin === undefined ? counted : counted.where(sql<boolean>`(${ended} OR ${isWithin})`);
    });
}

const hasEnded = ({ windowSeconds }: RateLimitRule, now: Date) =>
  sql<boolean>`(rate_limit.window_start <= ${new Date(now.getTime() - windowSeconds * 1000)}::timestamptz
    OR rate_limit.window_start > ${latestKnown(now)}::timestamptz)`;

function resultOf(rule: RateLimitRule, { count, window_start }: { count: number; window_start: Date }) {
  const resetAt = new Date(window_start.getTime() + rule.windowSeconds * 1000);
  return { allowed: count <= rule.max, count, resetAt };
}

async function takeAll(db: Database, counting: Counting): Promise<RateLimitResult> {
  const { rule, subject_index, now, weight } = counting;
  if (weight <= rule.max) {
    const isWithin = sql<boolean>`rate_limit.count + excluded.count <= ${rule.max}::integer`;
    const counted = await countInWindow(db, counting, isWithin).returning(["count", "window_start"]).executeTakeFirst();
    if (counted !== undefined) return resultOf(rule, counted);
  }
  const refused = await db
    .selectFrom("rate_limit")
    .select(["count", "window_start"])
    .where("action_type", "=", rule.action)
    .where("subject_index", "=", subject_index)
    .where(sql<boolean>`NOT ${hasEnded(rule, now)}`)
    .executeTakeFirst();
  return { ...resultOf(rule, refused ?? { count: 0, window_start: now }), allowed: false };
}

/** Deletes rows with the oldest windows, nearly all of which have ended; others get a few more attempts. */
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
  // The row was deleted since the first statement, so the next attempt is allowed.
  return { allowed: false, count: refused?.count ?? 0, resetAt: refused?.reset_at ?? now };
}

/** SQL for the seconds until the next attempt, after `rate_limit.count` of them. */
function waitSeconds(rule: SpacedLimitRule) {
  const growth = sql`power(2, least(rate_limit.count - ${rule.free}::integer, 30))`;
  const doubled = sql`least(${rule.firstWaitSeconds ?? 1}::integer * ${growth}, ${rule.longestWaitSeconds}::integer)`;
  return sql<number>`(CASE WHEN rate_limit.count < ${rule.free}::integer THEN 0 ELSE ${doubled} END)`;
}

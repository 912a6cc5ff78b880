/**
 * What retention deletes, one rule per entry. The periods are in `core/retention.ts`, which the account export
 * uses too (specification section 9). Not listed here, because they are deleted together with their parent: reply
 * addresses with their alias, queued mail with its last delivery, the states of destination mailboxes with the account.
 */

import { sql } from "kysely";
import type { ApiKeyStore } from "../core/api-key.ts";
import type { BounceSenderStore } from "../core/bounce-sender.ts";
import type { MissingMailboxStore } from "../core/destination/missing-mailbox.ts";
import type { EmailJobStore } from "../core/email-job/email-job.ts";
import type { ImportStore } from "../core/import/import.ts";
import type { LoginSessionStore } from "../core/login-session.ts";
import type { MessageBodies } from "../core/message/message.ts";
import type { NoticeStore } from "../core/notice.ts";
import type { SentAnswerStore } from "../core/reply-path.ts";
import { type Kept, keptSince } from "../core/retention.ts";
import type { RateLimitStore } from "../limits/rate-limit.ts";
import { latestKnown } from "../runtime/clock-set-back.ts";
import type { Logger } from "../runtime/ports.ts";
import type { Database } from "./database.ts";
import type { DeliveryRepository } from "./queue/deliveries.ts";
import type { ReleasedAddresses } from "./rows/accounts/released-addresses.ts";
import type { StoreContext } from "./store-context.ts";

/**
 * Age in milliseconds at which a body without a row is deleted as left by a crash. Normally its row follows within
 * seconds.
 */
const ORPHAN_AGE_MS = 3_600_000;

export interface RetentionParts {
  loginSessions: LoginSessionStore;
  apiKeys: Pick<ApiKeyStore, "deleteExpired">;
  rateLimits: RateLimitStore;
  notices: NoticeStore;
  missingMailboxes: Pick<MissingMailboxStore, "deleteBefore">;
  emailJobs: EmailJobStore;
  imports: Pick<ImportStore, "deleteBefore">;
  deliveries: Pick<DeliveryRepository, "deleteKeptBefore">;
  released: ReleasedAddresses;
  sentAnswers: Pick<SentAnswerStore, "deleteEnded">;
  bounceSenders: Pick<BounceSenderStore, "deleteExpired">;
  bodies: MessageBodies;
  isKnownMessage(messageId: string): Promise<boolean>;
}

interface RetentionRule {
  what: string;
  /**
   * How long rows are kept, counted from the start of their period; `null` if each row holds the end of its own period.
   */
  kept: Kept | null;
  /**
   * Deletes what has expired under the rule.
   * @param before time of the run minus the retention time `kept`; the time of the run if `kept` is `null`
   * @returns number of deleted rows or files
   */
  forget(before: Date, parts: RetentionParts & { db: Database; aheadMs: number }): Promise<number>;
}

const beginning = new Date(0);

export const retentionRules = [
  // Login sessions that were idle for too long, e.g. that of a browser that was closed half an hour ago.
  {
    what: "idleSessions",
    kept: "idleLoginSession",
    forget: (before, parts) => parts.loginSessions.deleteExpired(before, beginning),
  },
  // Login sessions that have lasted too long, e.g. that of a page that stayed active all day.
  {
    what: "longSessions",
    kept: "loginSession",
    forget: (before, parts) => parts.loginSessions.deleteExpired(beginning, before),
  },
  // API keys, a month after they expired.
  { what: "apiKeys", kept: "expiredApiKey", forget: (before, parts) => parts.apiKeys.deleteExpired(before) },
  // Counts of rate limits, by keyed hash of the user, network or address. They may outlive the account.
  { what: "rateLimits", kept: "rateLimit", forget: (before, parts) => parts.rateLimits.deleteBefore(before) },
  { what: "notices", kept: "notice", forget: (before, parts) => parts.notices.deleteBefore(before) },
  // Times and outcome of a composed message, whose recipient, subject and body were erased earlier.
  { what: "emailJobs", kept: "endedEmailJob", forget: (before, parts) => parts.emailJobs.deleteEndedBefore(before) },
  // Mail to postmaster@ and abuse@ that is kept for the operator and was not deleted.
  { what: "operatorMail", kept: "operatorMail", forget: (before, parts) => parts.deliveries.deleteKeptBefore(before) },
  // Keyed hashes of mailboxes whose host said that they don't exist. A suspended mailbox stays until its owner resumes
  // it.
  {
    what: "missingMailboxes",
    kept: "missingMailbox",
    forget: (before, parts) => parts.missingMailboxes.deleteBefore(before),
  },
  // Imports with their sealed rows, whether run or not. Aliases that they created stay.
  { what: "aliasImports", kept: "aliasImport", forget: (before, parts) => parts.imports.deleteBefore(before) },
  // Keyed hashes of the addresses of deleted and renamed aliases, including those of deleted accounts.
  { what: "releasedAddresses", kept: null, forget: (now, parts) => parts.released.deleteEnded(now) },
  // Keyed hashes of signatures that have expired.
  { what: "sentAnswers", kept: null, forget: (now, parts) => parts.sentAnswers.deleteEnded(now) },
  // Senders whose bounce addresses are all too old.
  { what: "bounceSenders", kept: null, forget: (now, parts) => parts.bounceSenders.deleteExpired(now) },
  { what: "oneTimeTokens", kept: null, forget: (now, parts) => deleteEndedTokens(parts.db, now) },
  // Bodies left by a crash between the write of a body and the commit of its row.
  {
    what: "orphanedBodies",
    kept: null,
    forget: (_, parts) => parts.bodies.sweep(parts.isKnownMessage, ORPHAN_AGE_MS + parts.aheadMs),
  },
] as const satisfies readonly RetentionRule[];

export type Forgotten = Record<(typeof retentionRules)[number]["what"], number>;

/** Runs every rule once, deleting what had expired at `asOf`. Several processes may run it concurrently. */
export async function forgetOld(
  { db, clock }: StoreContext,
  parts: RetentionParts,
  asOf = clock.now(),
): Promise<Forgotten> {
  // The age of body files and chunks is measured by the current clock, which may be ahead of `asOf`.
  const aheadMs = clock.now().getTime() - asOf.getTime();
  const forgotten: Partial<Forgotten> = {};
  for (const { what, kept, forget } of retentionRules)
    forgotten[what] = await forget(kept === null ? asOf : keptSince(kept, asOf), { ...parts, db, aheadMs });
  return forgotten as Forgotten;
}

async function deleteEndedTokens(db: Database, now: Date): Promise<number> {
  const result = await db.deleteFrom("one_time_token").where("expires_at", "<=", now).executeTakeFirst();
  return Number(result.numDeletedRows);
}

/**
 * Detects hourly that the system clock was set. Without this, queued mail would wait after the clock was set back until
 * it has caught up, and every row would look expired after it was set far forward, although deleted rows cannot be
 * restored.
 */

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

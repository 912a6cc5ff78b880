/**
 * What the store forgets by itself: one rule a row. The times are `core/retention/kept-for.ts`, which the account's own export
 * and the legal pages share (specification section 9). Not here, because they go with what they hang on: reply addresses with
 * their alias, queued mail with its last delivery, what an account knows of a mailbox with the account.
 */
import type { EmailJobStore } from "../core/email-job/email-job.ts";
import type { LoginSessionStore } from "../core/login-session/login-session.ts";
import type { MessageBodies } from "../core/message/message.ts";
import type { NoticeStore } from "../core/notice/notice.ts";
import type { RateLimitStore } from "../core/rate-limit/rate-limit.ts";
import { type Kept, keptSince } from "../core/retention/kept-for.ts";
import type { Database } from "./database.ts";
import type { DeliveryRepository } from "./queue/deliveries.ts";
import type { ReleasedAddresses } from "./rows/accounts/released-addresses.ts";
import type { StoreContext } from "./store-context.ts";

/** Between a body's arrival and its row lie seconds; a body without a row for this long was left by a crash. */
const ORPHAN_AGE_MS = 3_600_000;

export interface RetentionParts {
  loginSessions: LoginSessionStore;
  rateLimits: RateLimitStore;
  notices: NoticeStore;
  emailJobs: EmailJobStore;
  deliveries: Pick<DeliveryRepository, "deleteKeptBefore">;
  released: ReleasedAddresses;
  bodies: MessageBodies;
  isKnownMessage(messageId: string): Promise<boolean>;
}

interface RetentionRule {
  what: string;
  /** Counted from when the row's time began; `null`: the row itself says when it ends. */
  kept: Kept | null;
  /** @param before the moment that `kept` lies back, or now @returns how many went */
  forget(before: Date, parts: RetentionParts & { db: Database; aheadMs: number }): Promise<number>;
}

const beginning = new Date(0);

export const retentionRules = [
  // Somebody closed the laptop half an hour ago.
  {
    what: "idleSessions",
    kept: "idleLoginSession",
    forget: (before, it) => it.loginSessions.deleteExpired(before, beginning),
  },
  // A page that kept itself alive all day.
  {
    what: "longSessions",
    kept: "loginSession",
    forget: (before, it) => it.loginSessions.deleteExpired(beginning, before),
  },
  // Keyed hashes of who hit a limit; they outlive the account until then.
  { what: "rateLimits", kept: "rateLimit", forget: (before, it) => it.rateLimits.deleteBefore(before) },
  { what: "notices", kept: "notice", forget: (before, it) => it.notices.deleteBefore(before) },
  // What is left of a composed message once recipient, subject and text are erased: times and outcome.
  { what: "emailJobs", kept: "endedEmailJob", forget: (before, it) => it.emailJobs.deleteEndedBefore(before) },
  // Strangers' mail to postmaster@ that no operator read or forgot.
  { what: "operatorMail", kept: "operatorMail", forget: (before, it) => it.deliveries.deleteKeptBefore(before) },
  // Keyed hashes of mailboxes that seemed not to exist and got no mail since. What is suspended stays until its owner resumes it.
  { what: "missingMailboxes", kept: "missingMailbox", forget: (before, it) => deleteMissingBefore(it.db, before) },
  // Keyed hashes of deleted and renamed aliases, and of a deleted account's.
  { what: "releasedAddresses", kept: null, forget: (now, it) => it.released.deleteEnded(now) },
  { what: "oneTimeTokens", kept: null, forget: (now, it) => deleteEndedTokens(it.db, now) },
  // A crash between a body and its row.
  {
    what: "orphanedBodies",
    kept: null,
    forget: (_, it) => it.bodies.sweep(it.isKnownMessage, ORPHAN_AGE_MS + it.aheadMs),
  },
] as const satisfies readonly RetentionRule[];

export type Forgotten = Record<(typeof retentionRules)[number]["what"], number>;

/** Runs every rule once, for what was past its time at `asOf`. Safe in several processes at a time. */
export async function forgetOld(
  { db, clock }: StoreContext,
  parts: RetentionParts,
  asOf = clock.now(),
): Promise<Forgotten> {
  // Files and chunks tell their age by the clock as it is now.
  const aheadMs = clock.now().getTime() - asOf.getTime();
  const forgotten: Partial<Forgotten> = {};
  for (const { what, kept, forget } of retentionRules)
    forgotten[what] = await forget(kept === null ? asOf : keptSince(kept, asOf), { ...parts, db, aheadMs });
  return forgotten as Forgotten;
}

async function deleteMissingBefore(db: Database, before: Date): Promise<number> {
  const query = db.deleteFrom("missing_mailbox").where("suspended_at", "is", null).where("last_at", "<=", before);
  return Number((await query.executeTakeFirst()).numDeletedRows);
}

async function deleteEndedTokens(db: Database, now: Date): Promise<number> {
  const result = await db.deleteFrom("one_time_token").where("expires_at", "<=", now).executeTakeFirst();
  return Number(result.numDeletedRows);
}

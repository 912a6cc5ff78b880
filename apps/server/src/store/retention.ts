/** What the store forgets by itself, and after which time (specification section 9; figures in `contract/limits`). */
import { retentionDays, sessionTimes } from "@kauke/contract";
import type { EmailJobStore } from "../core/email-job/email-job.ts";
import type { LoginSessionStore } from "../core/login-session/login-session.ts";
import type { MessageBodies } from "../core/message/message.ts";
import type { NoticeStore } from "../core/notice/notice.ts";
import type { RateLimitStore } from "../core/rate-limit/rate-limit.ts";
import type { ReleasedAddresses } from "./released-addresses.ts";
import type { StoreContext } from "./store-context.ts";

const HOUR_MS = 3_600_000;
/** Between a body's arrival and its row lie seconds; a body without a row for this long was left by a crash. */
const ORPHAN_AGE_MS = HOUR_MS;

export interface Forgotten {
  loginSessions: number;
  rateLimits: number;
  notices: number;
  emailJobs: number;
  releasedAddresses: number;
  oneTimeTokens: number;
  orphanedBodies: number;
}

export interface RetentionParts {
  loginSessions: LoginSessionStore;
  rateLimits: RateLimitStore;
  notices: NoticeStore;
  emailJobs: EmailJobStore;
  released: ReleasedAddresses;
  bodies: MessageBodies;
  isKnownMessage(messageId: string): Promise<boolean>;
}

/** Runs every rule once. Safe in several processes at a time. */
export async function forgetOld({ db, clock }: StoreContext, parts: RetentionParts): Promise<Forgotten> {
  const now = clock.now();
  const secondsAgo = (seconds: number) => new Date(now.getTime() - seconds * 1000);
  const daysAgo = (days: number) => secondsAgo(days * 86_400);
  const tokens = await db.deleteFrom("one_time_token").where("expires_at", "<=", now).executeTakeFirst();
  return {
    loginSessions: await parts.loginSessions.deleteExpired(
      secondsAgo(sessionTimes.idleSeconds),
      secondsAgo(sessionTimes.absoluteSeconds),
    ),
    rateLimits: await parts.rateLimits.deleteBefore(daysAgo(retentionDays.securityRecords)),
    notices: await parts.notices.deleteBefore(daysAgo(retentionDays.technicalLogs)),
    emailJobs: await parts.emailJobs.deleteEndedBefore(daysAgo(retentionDays.technicalLogs)),
    releasedAddresses: await parts.released.deleteEnded(now),
    oneTimeTokens: Number(tokens.numDeletedRows),
    orphanedBodies: await parts.bodies.sweep(parts.isKnownMessage, ORPHAN_AGE_MS),
  };
}

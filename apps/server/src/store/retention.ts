/** Rules of the retention job. Reply addresses, queued mail and mailbox states are deleted with their parents. */

import { sql } from "kysely";
import type { ApiKeyStore } from "../core/api-key.ts";
import type { BounceSenderStore } from "../core/bounce-sender.ts";
import type { CertificateRecords } from "../core/certificate.ts";
import type { MissingMailboxStore } from "../core/destination/destination.ts";
import type { EmailAttachmentStore } from "../core/email-job/email-attachment.ts";
import type { EmailJobStore } from "../core/email-job/email-job.ts";
import type { ImportStore } from "../core/import/import.ts";
import type { LoginSessionStore } from "../core/login-session.ts";
import type { MessageBodies } from "../core/message/message.ts";
import type { NoticeStore } from "../core/notice.ts";
import type { MailProbeStore } from "../core/probe/probe.ts";
import type { InviteStore } from "../core/registration.ts";
import type { SentAnswerStore } from "../core/reply-path.ts";
import { type Kept, keptSince } from "../core/retention.ts";
import type { RateLimitStore } from "../limits/rate.ts";
import { type Logger, latestKnown } from "../runtime/ports.ts";
import type { Database } from "./database.ts";
import type { DeliveryRepository } from "./queue/deliveries.ts";
import type { ReleasedAddresses } from "./rows/accounts/released-addresses.ts";
import { counterStore, type OperatorStore } from "./rows/operator-store.ts";
import { makeFutureAliasesDue, type ProviderAliasRows } from "./rows/provider-aliases.ts";
import type { StoreContext } from "./store-context.ts";

/** A body without a row is left by a crash; normally its row follows within seconds. */
const ORPHAN_AGE_MS = 3_600_000;

export interface RetentionParts {
  loginSessions: LoginSessionStore;
  apiKeys: Pick<ApiKeyStore, "deleteExpired">;
  rateLimits: RateLimitStore;
  notices: NoticeStore;
  missingMailboxes: Pick<MissingMailboxStore, "deleteBefore">;
  emailJobs: EmailJobStore;
  emailAttachments: Pick<EmailAttachmentStore, "deleteBefore">;
  imports: Pick<ImportStore, "deleteBefore">;
  deliveries: Pick<DeliveryRepository, "deleteKeptBefore">;
  released: ReleasedAddresses;
  sentAnswers: Pick<SentAnswerStore, "deleteEnded">;
  bounceSenders: Pick<BounceSenderStore, "deleteExpired">;
  certificateRecords: Pick<CertificateRecords, "deleteExpired">;
  invites: Pick<InviteStore, "deleteExpired">;
  operator: Pick<OperatorStore, "deleteActsBefore">;
  mailProbes: Pick<MailProbeStore, "deleteExpired">;
  providerAliases: Pick<ProviderAliasRows, "forgetGone">;
  bodies: MessageBodies;
  isKnownMessage(messageId: string): Promise<boolean>;
}

interface RetentionRule {
  what: string;
  /** Period for which rows are kept; `null` if each row holds its own end. */
  kept: Kept | null;
  /** @param before time of the run minus `kept` @returns number of deleted rows or files */
  forget(before: Date, parts: RetentionParts & { db: Database; aheadMs: number }): Promise<number>;
}

const beginning = new Date(0);

export const retentionRules = [
  {
    what: "idleSessions",
    kept: "idleLoginSession",
    forget: (before, parts) => parts.loginSessions.deleteExpired(before, beginning),
  },
  {
    what: "longSessions",
    kept: "loginSession",
    forget: (before, parts) => parts.loginSessions.deleteExpired(beginning, before),
  },
  { what: "apiKeys", kept: "expiredApiKey", forget: (before, parts) => parts.apiKeys.deleteExpired(before) },
  // Counts of rate limits may outlive the account, since their subjects are keyed hashes.
  { what: "rateLimits", kept: "rateLimit", forget: (before, parts) => parts.rateLimits.deleteBefore(before) },
  { what: "notices", kept: "notice", forget: (before, parts) => parts.notices.deleteBefore(before) },
  // The recipient, subject and body of an ended job were erased earlier.
  { what: "emailJobs", kept: "endedEmailJob", forget: (before, parts) => parts.emailJobs.deleteEndedBefore(before) },
  {
    what: "emailAttachments",
    kept: "emailAttachment",
    forget: (before, parts) => parts.emailAttachments.deleteBefore(before),
  },
  { what: "operatorMail", kept: "operatorMail", forget: (before, parts) => parts.deliveries.deleteKeptBefore(before) },
  // Counts of refusals, by keyed hash of the mailbox; a suspended mailbox stays until its owner resumes it.
  {
    what: "missingMailboxes",
    kept: "missingMailbox",
    forget: (before, parts) => parts.missingMailboxes.deleteBefore(before),
  },
  // Aliases that an import created stay when the import is deleted.
  { what: "aliasImports", kept: "aliasImport", forget: (before, parts) => parts.imports.deleteBefore(before) },
  // Keyed hashes of released addresses, also those of deleted accounts.
  { what: "releasedAddresses", kept: null, forget: (now, parts) => parts.released.deleteEnded(now) },
  { what: "sentAnswers", kept: null, forget: (now, parts) => parts.sentAnswers.deleteEnded(now) },
  { what: "bounceSenders", kept: null, forget: (now, parts) => parts.bounceSenders.deleteExpired(now) },
  { what: "certificateRecords", kept: null, forget: (now, parts) => parts.certificateRecords.deleteExpired(now) },
  { what: "invites", kept: null, forget: (now, parts) => parts.invites.deleteExpired(now) },
  { what: "operatorActs", kept: "operatorAct", forget: (before, parts) => parts.operator.deleteActsBefore(before) },
  { what: "mailProbes", kept: null, forget: (now, parts) => parts.mailProbes.deleteExpired(now) },
  // With a provider, a row of a deleted alias stays until the provider has deleted its copy.
  {
    what: "providerAliases",
    kept: "goneProviderAlias",
    forget: (before, parts) => parts.providerAliases.forgetGone(before),
  },
  { what: "oneTimeTokens", kept: null, forget: (now, parts) => deleteEndedTokens(parts.db, now) },
  // A crash between a body and its row leaves the body.
  {
    what: "orphanedBodies",
    kept: null,
    forget: (_, parts) => parts.bodies.sweep(parts.isKnownMessage, ORPHAN_AGE_MS + parts.aheadMs),
  },
] as const satisfies readonly RetentionRule[];

export type Forgotten = Record<(typeof retentionRules)[number]["what"], number>;

/** Runs every rule once. Several processes may do so concurrently. */
export async function forgetOld(
  { db, clock }: StoreContext,
  parts: RetentionParts,
  asOf = clock.now(),
): Promise<Forgotten> {
  // The age of files and chunks is measured by the current clock, which may be ahead of the run's `asOf`.
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

/** Detects a set clock: set back, queued mail would wait; set far forward, all rows would expire, irrecoverably. */

/** A longer gap between runs means that the server was stopped or the clock was set forward. */
const GAP_MS = 12 * 3_600_000;
/** Number of hourly runs before a clock that jumped forward is trusted. */
const HELD_RUNS = 24;
/** Longer than any real lease, which its worker renews well before. */
const LEASE_MS = 15 * 60_000;

const RAN_AT = "retention_ran_at";
const HELD = "retention_held";

/** Makes mail due that was queued before the clock was set back, except scheduled mail. */
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

/** When the clock is more than 12 hours ahead of the last run, the first 24 runs use the time of that run. */
export function pacedRetention(
  context: StoreContext,
  logger: Logger | undefined,
  forget: (asOf: Date) => Promise<unknown>,
): () => Promise<void> {
  const { read, set } = counterStore(context);
  return async () => {
    const now = context.clock.now();
    const count = await makeFutureMailDue(context.db, now);
    if (count > 0) logger?.warn("clock_set_back", { count });
    await makeFutureAliasesDue(context.db, now);
    const ranAt = await read(RAN_AT);
    const held = (await read(HELD)) + 1;
    if (ranAt > 0 && now.getTime() - ranAt > GAP_MS && held <= HELD_RUNS) {
      logger?.warn("retention_held", { count: held });
      await set(HELD, held);
      await forget(new Date(ranAt));
      return;
    }
    await forget(now);
    await set(RAN_AT, now.getTime());
    await set(HELD, 0);
  };
}

/**
 * Makes a delivery attempt: the checks before it, the attempt itself, and what it reveals about the destination. A
 * first attempt, made while the sender waits, knows some answers from RCPT; a retry looks them up again, since they may
 * have changed.
 */
import type { AliasStore } from "../../core/alias/alias-store.ts";
import type { DeliveryOutcome, DeliveryTarget } from "../../core/delivery/delivery.ts";
import { deferred } from "../classify-reply.ts";
import type { ForwardCopy } from "../message/forward-copy.ts";
import type { ReplyBook } from "../message/reply-book.ts";
import type { Transports } from "../transport/transport.ts";
import { attempt } from "./attempt.ts";
import type { AttemptFindings } from "./attempt-findings.ts";
import type { ConfirmationGuard } from "./confirmation-guard.ts";
import { outcomeIfPaused } from "./pause-gone-webhook.ts";
import type { DestinationShares } from "./shares/destination-shares.ts";
import type { RunningAttempt } from "./shares/running-attempt.ts";
import type { RunningAttempts } from "./shares/running-attempts.ts";

export interface DeliveryToAttempt {
  id: string;
  messageId: string;
  /** Id of the alias; `null` for mail to the operator. */
  aliasId: string | null;
  userId: string | null;
  target: DeliveryTarget;
  /** Whether the mailbox' host refused earlier mail because the mailbox does not exist. */
  wasMissing?: boolean;
}

/** What the MX already knows about a delivery whose message has just arrived. */
export interface KnownFromArrival {
  /** State of a destination mailbox that is not confirmed yet; absent for other destinations. */
  unconfirmed?: "new" | "asked";
  /** Whether the reply addresses could not be stored because the account has too many new correspondents. */
  isHeld?: boolean;
}

export interface AttemptDeps {
  aliases: Pick<AliasStore, "findRouteById">;
  replyBook: Pick<ReplyBook, "keep">;
  /** Guard of unconfirmed mailboxes; `null` when mailboxes need no confirmation. */
  guard: Pick<ConfirmationGuard, "beforeAttempt" | "beforeRetry"> | null;
  /** Shares of destinations; `null` when rate limits are switched off. */
  shares: Pick<DestinationShares, "beforeAttempt" | "beforeRetry"> | null;
  attempts: Pick<RunningAttempts, "noteBusy">;
  findings: Pick<AttemptFindings, "note">;
  transports: Transports;
}

/** A check before an attempt. @returns the outcome that replaces the attempt; `null` when the attempt may be made */
type Check = (
  delivery: DeliveryToAttempt,
  copy: ForwardCopy,
  known: KnownFromArrival | null,
  deps: Omit<AttemptDeps, "attempts" | "findings" | "transports">,
) => Promise<DeliveryOutcome | null> | DeliveryOutcome | null;

const tooManyCorrespondents = deferred("try_later", "4.7.1");

/** Only retries look up whether the webhook is paused: RCPT left paused webhooks out. */
const isWebhookPaused: Check = (delivery, _copy, known, { aliases }) =>
  known === null ? outcomeIfPaused(delivery, aliases) : null;

/** A copy whose reply addresses could not be stored waits until they are: replies to them must find their way back. */
const areReplyAddressesStored: Check = (delivery, copy, known, deps) => {
  if (known !== null) return known.isHeld === true ? tooManyCorrespondents : null;
  return storeReplyAddresses(delivery, copy, deps);
};

async function storeReplyAddresses(
  { aliasId, userId }: DeliveryToAttempt,
  { correspondents }: ForwardCopy,
  { replyBook }: Pick<AttemptDeps, "replyBook">,
): Promise<DeliveryOutcome | null> {
  if (aliasId === null || userId === null || correspondents.length === 0) return null;
  const over = await replyBook.keep([{ aliasId, userId, correspondents }]);
  return over.size === 0 ? null : tooManyCorrespondents;
}

/** Since RCPT has listed the mailboxes that are not confirmed, a first attempt to any other needs no look-up. */
const isMailboxConfirmed: Check = (delivery, _copy, known, { guard }) => {
  if (guard === null) return null;
  if (known === null) return guard.beforeRetry(delivery);
  return known.unconfirmed === undefined ? null : guard.beforeAttempt(delivery, known.unconfirmed);
};

/** The last check: it counts the message against the destination's limit. New messages wait behind deferred ones. */
const hasDestinationRoom: Check = (delivery, _copy, known, { shares }) => {
  if (shares === null) return null;
  return known === null ? shares.beforeRetry(delivery) : shares.beforeAttempt(delivery);
};

const checks: readonly Check[] = [isWebhookPaused, areReplyAddressesStored, isMailboxConfirmed, hasDestinationRoom];

/**
 * @param known what the MX already knows; `null` for a retry
 * @throws whatever the store throws during a look-up
 */
export async function attemptDelivery(
  delivery: DeliveryToAttempt,
  copy: ForwardCopy,
  { known, running }: { known: KnownFromArrival | null; running: RunningAttempt },
  deps: AttemptDeps,
): Promise<DeliveryOutcome> {
  for (const check of checks) {
    const outcome = await check(delivery, copy, known, deps);
    if (outcome !== null) return outcome;
  }
  const report = await attempt(delivery, copy, deps.transports, running);
  for (const provider of report.busyProviders) deps.attempts.noteBusy(running, provider);
  await deps.findings.note(delivery, report);
  return report.outcome;
}

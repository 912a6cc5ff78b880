/**
 * The one way a delivery is attempted: what must hold before it, the attempt itself, and what is learned from it. A first attempt,
 * made while its sender waits, knows some answers from RCPT; a retry looks them up, since they may have changed.
 */
import type { AliasStore } from "../../core/alias/alias-store.ts";
import type { DeliveryOutcome, DeliveryTarget } from "../../core/delivery/delivery.ts";
import { deferred } from "../classify-reply.ts";
import type { ForwardCopy } from "../copy/forward-copy.ts";
import type { ReplyBook } from "../copy/reply-book.ts";
import type { AttemptSignal } from "../transport/transport.ts";
import { attempt, type Transports } from "./attempt.ts";
import type { AttemptFindings } from "./attempt-findings.ts";
import type { ConfirmationGuard } from "./confirmation-guard.ts";
import { outcomeIfPaused } from "./pause-gone-webhook.ts";
import type { DestinationShares } from "./shares/destination-shares.ts";

export interface DeliveryToAttempt {
  id: string;
  messageId: string;
  /** `null`: the operator's own mail. */
  aliasId: string | null;
  userId: string | null;
  target: DeliveryTarget;
  /** The mailbox refused mail as not existing before. */
  wasMissing?: boolean;
}

/** What RCPT found out about a delivery whose message has just arrived. */
export interface KnownFromArrival {
  /** Of a mailbox that is not confirmed. */
  unconfirmed?: "new" | "asked";
  /** Its reply addresses could not be stored: the account has too many new correspondents. */
  isHeld?: boolean;
}

export interface AttemptDeps {
  aliases: Pick<AliasStore, "findRouteById">;
  replyBook: Pick<ReplyBook, "keep">;
  /** `null`: mailboxes are not asked for confirmation. */
  guard: Pick<ConfirmationGuard, "beforeAttempt" | "beforeRetry"> | null;
  /** `null`: limits are off. */
  shares: Pick<DestinationShares, "beforeAttempt" | "beforeRetry"> | null;
  findings: Pick<AttemptFindings, "watch">;
  transports: Transports;
}

/** @returns the outcome without an attempt, `null` when this does not stand in its way */
type Check = (
  delivery: DeliveryToAttempt,
  copy: ForwardCopy,
  known: KnownFromArrival | null,
  deps: Omit<AttemptDeps, "findings" | "transports">,
) => Promise<DeliveryOutcome | null> | DeliveryOutcome | null;

const tooManyCorrespondents = deferred("try_later", "4.7.1");

/** RCPT left paused webhooks out. */
const isWebhookPaused: Check = (delivery, _copy, known, { aliases }) =>
  known === null ? outcomeIfPaused(delivery, aliases) : null;

/** A copy whose reply addresses could not be stored leaves when they are: an answer to them must find its way back. */
const areReplyAddressesStored: Check = async ({ aliasId, userId }, { correspondents }, known, { replyBook }) => {
  if (known !== null) return known.isHeld === true ? tooManyCorrespondents : null;
  if (aliasId === null || userId === null || correspondents.length === 0) return null;
  const over = await replyBook.keep([{ aliasId, userId, correspondents }]);
  return over.size === 0 ? null : tooManyCorrespondents;
};

/** RCPT names the mailboxes that are not confirmed; to all others a first attempt is made without a look. */
const isMailboxConfirmed: Check = (delivery, _copy, known, { guard }) => {
  if (guard === null) return null;
  if (known === null) return guard.beforeRetry(delivery);
  return known.unconfirmed === undefined ? null : guard.beforeAttempt(delivery, known.unconfirmed);
};

/** Last, since it counts the message. A new message waits behind those that are held already. */
const hasDestinationRoom: Check = (delivery, _copy, known, { shares }) => {
  if (shares === null) return null;
  return known === null ? shares.beforeRetry(delivery) : shares.beforeAttempt(delivery);
};

const checks: readonly Check[] = [isWebhookPaused, areReplyAddressesStored, isMailboxConfirmed, hasDestinationRoom];

/** @param known `null` for a retry @throws what the store throws while it is asked */
export async function attemptDelivery(
  delivery: DeliveryToAttempt,
  copy: ForwardCopy,
  { known, signal }: { known: KnownFromArrival | null; signal: AttemptSignal },
  deps: AttemptDeps,
): Promise<DeliveryOutcome> {
  for (const check of checks) {
    const outcome = await check(delivery, copy, known, deps);
    if (outcome !== null) return outcome;
  }
  return deps.findings.watch(delivery, attempt(delivery, copy, deps.transports, signal), signal);
}

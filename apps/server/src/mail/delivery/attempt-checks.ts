import type { AliasStore } from "../../core/alias/alias.ts";
import type { DeliveryOutcome, DeliveryTarget } from "../../core/delivery/delivery.ts";
import { deferred, refused } from "../classify-reply.ts";
import type { ForwardCopy } from "../message/forward-copy.ts";
import type { ReplyBook } from "../message/reply-book.ts";
import type { ConfirmationGuard } from "./confirmation-guard.ts";
import type { DestinationShares } from "./shares/destination-shares.ts";

export interface DeliveryToCheck {
  id: string;
  aliasId: string | null;
  userId: string | null;
  target: DeliveryTarget;
}

export interface KnownFromArrival {
  unconfirmed?: "new" | "asked";
  /** The copy waits: its reply addresses could not be stored, as the account has too many new correspondents. */
  isHeld?: boolean;
}

export interface CheckDeps {
  aliases: Pick<AliasStore, "findRouteById">;
  replyBook: Pick<ReplyBook, "keep">;
  guard: Pick<ConfirmationGuard, "beforeAttempt" | "beforeRetry"> | null;
  shares: Pick<DestinationShares, "beforeAttempt" | "beforeRetry"> | null;
}

const tooManyCorrespondents = deferred("try_later", "4.7.1");
const webhookGone = refused("webhook_gone", "5.1.6");

/** @param known `null` for a retry @returns the outcome instead of an attempt; `null`: attempt the delivery */
export async function checkDelivery(
  delivery: DeliveryToCheck,
  copy: ForwardCopy,
  known: KnownFromArrival | null,
  deps: CheckDeps,
): Promise<DeliveryOutcome | null> {
  return known === null ? checkRetry(delivery, copy, deps) : checkFirst(delivery, known, deps);
}

/** Checks a first attempt. RCPT left out paused webhooks and listed unconfirmed mailboxes: others need no look-up. */
async function checkFirst(delivery: DeliveryToCheck, known: KnownFromArrival, { guard, shares }: CheckDeps) {
  // A copy whose reply addresses could not be stored waits until they are: replies to them must find their way back.
  if (known.isHeld) return tooManyCorrespondents;
  const unconfirmed = known.unconfirmed === undefined ? null : await guard?.beforeAttempt(delivery, known.unconfirmed);
  // Last, because it counts the message against the destination's limit. New messages wait behind deferred ones.
  return unconfirmed ?? shares?.beforeAttempt(delivery) ?? null;
}

async function checkRetry(delivery: DeliveryToCheck, copy: ForwardCopy, deps: CheckDeps) {
  if (await isWebhookPaused(delivery, deps)) return webhookGone;
  if (!(await storeReplyAddresses(delivery, copy, deps))) return tooManyCorrespondents;
  return (await deps.guard?.beforeRetry(delivery)) ?? deps.shares?.beforeRetry(delivery) ?? null;
}

async function isWebhookPaused({ aliasId, target }: DeliveryToCheck, { aliases }: CheckDeps): Promise<boolean> {
  const { destination } = target;
  if (destination.kind !== "webhook" || aliasId === null) return false;
  return (await aliases.findRouteById(aliasId))?.pausedWebhooks.includes(destination.url) ?? false;
}

/** @returns false when the account has too many new correspondents */
async function storeReplyAddresses(
  { aliasId, userId }: DeliveryToCheck,
  { correspondents }: ForwardCopy,
  { replyBook }: CheckDeps,
): Promise<boolean> {
  if (aliasId === null || userId === null || correspondents.length === 0) return true;
  return (await replyBook.keep([{ aliasId, userId, correspondents }])).size === 0;
}

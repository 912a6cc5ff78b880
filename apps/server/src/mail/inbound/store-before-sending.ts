/** The stages that store what must be on disk before any copy of a message is sent. */
import type { DeliveryStore } from "../../core/delivery/delivery.ts";
import { enqueueMessage, type MessageBodies } from "../../core/message/message.ts";
import type { Clock, Random } from "../../runtime/ports.ts";
import type { PlannedAlias } from "../delivery/first-try.ts";
import type { BounceSenders } from "../message/bounce-senders.ts";
import type { ReplyBook } from "../message/reply-book.ts";
import { accept, defer, endWith, replyForThrow, type StageVerdict } from "../reply.ts";
import type { PlannedMessage } from "./plan-deliveries.ts";

export interface StoreReplyAddressesDeps {
  replyBook: Pick<ReplyBook, "isKnown" | "keep">;
}

/**
 * Stores the correspondents behind the reply addresses of all copies, so that every reply finds its way back. Copies of
 * aliases that may not store more wait in the queue, without delaying the others.
 * @returns a deferral when all its aliases may not store more, so that the sender keeps the message
 */
export async function storeReplyAddresses(
  message: PlannedMessage,
  { replyBook }: StoreReplyAddressesDeps,
): Promise<StageVerdict<PlannedMessage>> {
  const copies = message.plan.aliases.flatMap(({ replies }) => (replies === undefined ? [] : [replies]));
  if (replyBook.isKnown(copies)) return accept(message);
  const { aliases, keepFor, otherwiseTaken } = message.plan;
  try {
    const over = await replyBook.keep(copies);
    if (over.size === 0) return accept(message);
    const isOver = ({ replies }: PlannedAlias) => replies !== undefined && over.has(replies.aliasId);
    if (aliases.every(isOver) && keepFor.length === 0 && !otherwiseTaken) return defer("rate_limited");
    const plan = { ...message.plan, aliases: aliases.map((alias) => (isOver(alias) ? held(alias) : alias)) };
    return accept({ ...message, plan });
  } catch (thrown) {
    return endWith(replyForThrow(thrown));
  }
}

function held(alias: PlannedAlias): PlannedAlias {
  return { ...alias, deliveries: alias.deliveries.map((delivery) => ({ ...delivery, isHeld: true })) };
}

export interface StoreBounceSendersDeps {
  bounceSenders: Pick<BounceSenders, "keep">;
}

export async function storeBounceSenders(
  message: PlannedMessage,
  { bounceSenders }: StoreBounceSendersDeps,
): Promise<StageVerdict<PlannedMessage>> {
  const senders = message.plan.aliases.flatMap(({ bounceSender }) => bounceSender ?? []);
  if (senders.length === 0) return accept(message);
  try {
    await bounceSenders.keep(senders, message.transaction.envelope.receivedAt);
    return accept(message);
  } catch (thrown) {
    return endWith(replyForThrow(thrown));
  }
}

export interface KeepForOperatorDeps {
  operatorMail: { deliveries: Pick<DeliveryStore, "keepForOperator">; bodies: Pick<MessageBodies, "put" | "delete"> };
  clock: Clock;
  random: Random;
}

/** Stores mail to postmaster@ and abuse@ for `kauke doctor` if no mailbox is set, separately by address. */
export async function keepForOperator(
  message: PlannedMessage,
  { operatorMail: { deliveries, bodies }, clock, random }: KeepForOperatorDeps,
): Promise<StageVerdict<PlannedMessage>> {
  const { envelope, wire } = message.transaction;
  for (const address of message.plan.keepFor) {
    const stored = { id: random.uuid(), envelope, sizeBytes: wire.length, createdAt: clock.now() };
    try {
      await enqueueMessage(bodies, { id: stored.id, wire }, () => deliveries.keepForOperator(stored, address));
    } catch (thrown) {
      return endWith(replyForThrow(thrown));
    }
  }
  return accept(message);
}

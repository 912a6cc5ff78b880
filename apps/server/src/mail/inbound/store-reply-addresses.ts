/**
 * The stage that stores the correspondents behind the reply addresses of all copies before any copy is sent, so that
 * every reply finds its way back. Copies of aliases that may not store more correspondents wait in the queue, without
 * delaying the others.
 */

import type { PlannedAlias } from "../delivery/delivery-plan.ts";
import type { ReplyBook } from "../message/reply-book.ts";
import { replyForThrow } from "../reply.ts";
import { accept, defer, endWith, type StageVerdict } from "../verdict.ts";
import type { PlannedMessage } from "./plan-deliveries.ts";

export interface StoreReplyAddressesDeps {
  replyBook: Pick<ReplyBook, "isKnown" | "keep">;
}

/**
 * Stores the correspondents of all copies of a message.
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

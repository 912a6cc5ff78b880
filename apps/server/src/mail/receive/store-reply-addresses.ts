/**
 * The stage that stores who is behind the reply addresses of all copies, before any of them leaves: an answer must find its way
 * back. Copies of aliases that take no more new correspondents wait in the queue, so that they hold up no others.
 */
import type { ReplyBook } from "../copy/reply-book.ts";
import { replyForThrow } from "../reply.ts";
import { accept, answer, defer, type StageVerdict } from "../verdict.ts";
import type { PlannedMessage } from "./arrived-message.ts";
import type { PlannedAlias } from "./inbound-plan.ts";

export interface StoreReplyAddressesDeps {
  replyBook: Pick<ReplyBook, "keep">;
}

/** @returns a deferral when the message is for such aliases alone: the sender keeps it */
export async function storeReplyAddresses(
  message: PlannedMessage,
  { replyBook }: StoreReplyAddressesDeps,
): Promise<StageVerdict<PlannedMessage>> {
  const { aliases, keepFor, otherwiseTaken } = message.plan;
  try {
    const over = await replyBook.keep(aliases.flatMap(({ replies }) => (replies === undefined ? [] : [replies])));
    if (over.size === 0) return accept(message);
    const isOver = ({ replies }: PlannedAlias) => replies !== undefined && over.has(replies.aliasId);
    if (aliases.every(isOver) && keepFor.length === 0 && !otherwiseTaken) return defer("rate_limited");
    const plan = { ...message.plan, aliases: aliases.map((alias) => (isOver(alias) ? held(alias) : alias)) };
    return accept({ ...message, plan });
  } catch (thrown) {
    return answer(replyForThrow(thrown));
  }
}

function held(alias: PlannedAlias): PlannedAlias {
  return { ...alias, deliveries: alias.deliveries.map((delivery) => ({ ...delivery, isHeld: true })) };
}

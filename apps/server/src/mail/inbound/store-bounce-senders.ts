import type { BounceSenders } from "../message/bounce-senders.ts";
import { replyForThrow } from "../reply.ts";
import { accept, endWith, type StageVerdict } from "../verdict.ts";
import type { PlannedMessage } from "./plan-deliveries.ts";

export interface StoreBounceSendersDeps {
  bounceSenders: Pick<BounceSenders, "keep">;
}

/** The stage that stores the sender if bounce addresses of copies stand for them by a token, before any copy is sent. */
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

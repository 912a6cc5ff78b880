import type { DeliveryTarget } from "../../core/delivery/delivery.ts";
import type { AccountBounceSender } from "../message/bounce-senders.ts";
import type { ForwardCopy } from "../message/forward-copy.ts";
import type { CopyReplies } from "../message/reply-book.ts";
import type { MailRefusal } from "../reply.ts";

export interface PlannedDelivery {
  id: string;
  messageId: string;
  aliasId: string | null;
  userId: string | null;
  /** Block of addresses that the account was registered from, as an opaque text; absent when unknown. */
  registeredFrom?: string | undefined;
  target: DeliveryTarget;
  copy: ForwardCopy;
  unconfirmed?: "new" | "asked";
  /** Whether the mailbox' host refused earlier mail as to a mailbox that does not exist. */
  wasMissing?: boolean;
  /** Whether the delivery waits in the queue because its reply addresses could not be stored yet. */
  isHeld?: boolean;
  createdAt: Date;
}

export interface PlannedAlias {
  deliveries: readonly PlannedDelivery[];
  replies?: CopyReplies;
  /** Sender to store before the copy is sent, because its envelope sender contains a token for their address. */
  bounceSender?: AccountBounceSender | null;
  refusedAs?: MailRefusal;
}

export interface InboundPlan {
  aliases: readonly PlannedAlias[];
  keepFor: readonly string[];
  otherwiseTaken: boolean;
}

/** The plan for a message: the deliveries to attempt for every recipient, and what else accepts it. */
import type { DeliveryTarget } from "../../core/delivery/delivery.ts";
import type { AccountBounceSender } from "../message/bounce-senders.ts";
import type { ForwardCopy } from "../message/forward-copy.ts";
import type { CopyReplies } from "../message/reply-book.ts";
import type { MailRefusal } from "../reply.ts";

export interface PlannedDelivery {
  id: string;
  messageId: string;
  /** `null` for mail to the operator. */
  aliasId: string | null;
  userId: string | null;
  /** Block of addresses that the account was registered from, as an opaque text; absent when unknown. */
  registeredFrom?: string | undefined;
  target: DeliveryTarget;
  copy: ForwardCopy;
  /** State of a mailbox that is not confirmed; absent for other destinations. */
  unconfirmed?: "new" | "asked";
  /** The mailbox' host refused earlier mail because the mailbox does not exist. */
  wasMissing?: boolean;
  /** The delivery waits in the queue, since its reply addresses could not be stored yet. */
  isHeld?: boolean;
  createdAt: Date;
}

export interface PlannedAlias {
  deliveries: readonly PlannedDelivery[];
  /** Reply addresses to be stored before the copy is sent. */
  replies?: CopyReplies;
  /** Sender to be stored before the copy is sent, because its envelope sender stands for them by a token. */
  bounceSender?: AccountBounceSender | null;
  refusedAs?: MailRefusal;
}

export interface InboundPlan {
  aliases: readonly PlannedAlias[];
  /** Operator addresses without a mailbox: their mail is stored. */
  keepFor: readonly string[];
  otherwiseTaken: boolean;
}

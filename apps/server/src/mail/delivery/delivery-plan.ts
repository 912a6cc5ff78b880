/** The plan for a message: the deliveries to attempt for every recipient, and what else accepts it. */
import type { DeliveryTarget } from "../../core/delivery/delivery.ts";
import type { AccountBounceSender } from "../message/bounce-senders.ts";
import type { ForwardCopy } from "../message/forward-copy.ts";
import type { CopyReplies } from "../message/reply-book.ts";
import type { MailRefusal } from "../reply.ts";

export interface PlannedDelivery {
  id: string;
  messageId: string;
  /** Id of the alias; `null` for mail to the operator. */
  aliasId: string | null;
  userId: string | null;
  /** Block of addresses that the account was registered from, as an opaque text; absent when that is unknown. */
  registeredFrom?: string | undefined;
  target: DeliveryTarget;
  copy: ForwardCopy;
  /** State of a destination mailbox that is not confirmed yet; absent for other destinations. */
  unconfirmed?: "new" | "asked";
  /** Whether the mailbox' host refused earlier mail because the mailbox does not exist. */
  wasMissing?: boolean;
  /** Whether the delivery waits in the queue because its reply addresses could not be stored yet. */
  isHeld?: boolean;
  /** Time the message arrived. */
  createdAt: Date;
}

export interface PlannedAlias {
  deliveries: readonly PlannedDelivery[];
  /** Reply addresses in the copy, to be stored before it is sent. */
  replies?: CopyReplies;
  /** Sender to be stored before the copy is sent, because its envelope sender stands for them by a token. */
  bounceSender?: AccountBounceSender | null;
  refusedAs?: MailRefusal;
}

export interface InboundPlan {
  aliases: readonly PlannedAlias[];
  /** Operator addresses whose mail is stored because no mailbox is set for them. */
  keepFor: readonly string[];
  /** Whether a recipient other than the aliases accepts the message. */
  otherwiseTaken: boolean;
}

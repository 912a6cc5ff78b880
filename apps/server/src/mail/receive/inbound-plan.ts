/** What is to be done for every recipient of a message: the deliveries to attempt, and what else takes it. */
import type { ErrorCode } from "@kauke/contract";
import type { DeliveryTarget } from "../../core/delivery/delivery.ts";
import type { ForwardCopy } from "../copy/forward-copy.ts";
import type { CopyReplies } from "../copy/reply-book.ts";

export interface PlannedDelivery {
  id: string;
  messageId: string;
  /** `null`: the operator's own mail. */
  aliasId: string | null;
  userId: string | null;
  target: DeliveryTarget;
  copy: ForwardCopy;
  /** Of a mailbox that is not confirmed. */
  unconfirmed?: "new" | "asked";
  /** The mailbox refused mail as not existing before. */
  wasMissing?: boolean;
  /** Its reply addresses are not kept yet: it may leave the queue once they are. */
  isHeld?: boolean;
  /** When the message arrived. */
  createdAt: Date;
}

export interface PlannedAlias {
  deliveries: readonly PlannedDelivery[];
  /** Reply addresses in its copy, to be kept before it leaves. */
  replies?: CopyReplies;
  refusedAs?: ErrorCode;
}

export interface InboundPlan {
  aliases: readonly PlannedAlias[];
  /** Operator addresses whose mail is to be kept, no destination being set. */
  keepFor: readonly string[];
  /** Somebody besides the aliases takes the message. */
  otherwiseTaken: boolean;
}

/** The deliveries planned for a message on arrival, and the first try of each. */

import type { Delivery, DeliveryOutcome } from "../../core/delivery/delivery.ts";
import type { AccountBounceSender } from "../message/bounce-senders.ts";
import type { ForwardCopy } from "../message/forward-copy.ts";
import type { CopyReplies } from "../message/reply-book.ts";
import type { MailRefusal } from "../reply.ts";
import { Attempt } from "./attempt.ts";
import { type FailureReporter, withoutSenderReport } from "./failures.ts";

export interface PlannedDelivery extends Omit<Delivery, "attempts"> {
  /** Block of addresses that the account was registered from, as an opaque text; absent when unknown. */
  registeredFrom?: string | undefined;
  copy: ForwardCopy;
  unconfirmed?: "new" | "asked";
  /** Whether the mailbox' host refused earlier mail as to a mailbox that does not exist. */
  wasMissing?: boolean;
  /** Whether the delivery waits in the queue because its reply addresses could not be stored yet. */
  isHeld?: boolean;
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

export class FirstTry {
  readonly planned: PlannedDelivery;
  readonly attempt: Attempt | null;
  /** Outcome of the attempt; never rejects. */
  readonly ended: Promise<DeliveryOutcome>;
  /** Whether the delivery is in the queue or in flight, where its outcome is settled and reported. */
  isEnqueued = false;
  readonly #known: DeliveryOutcome | null;

  constructor(planned: PlannedDelivery, begun: Attempt | DeliveryOutcome) {
    this.planned = planned;
    this.attempt = begun instanceof Attempt ? begun : null;
    this.#known = begun instanceof Attempt ? null : begun;
    this.ended = begun instanceof Attempt ? begun.ended : Promise.resolve(begun);
  }

  get outcome(): DeliveryOutcome | null {
    return this.attempt === null ? this.#known : this.attempt.outcome;
  }

  get isOpen(): boolean {
    return this.outcome === null || this.outcome.kind === "deferred";
  }

  get needsBytes(): boolean {
    return this.attempt?.needsBytes === true;
  }
}

type Failures = Pick<FailureReporter, "report">;

export async function reportRefused(all: readonly FirstTry[], wire: Buffer, failures: Failures): Promise<void> {
  const reported = new Set<string | null>();
  for (const tried of all) {
    const { planned, outcome, isEnqueued } = tried;
    if (outcome?.kind !== "refused" || isEnqueued) continue;
    const mayTellSender = !reported.has(planned.aliasId) && siblingsOf(tried, all).every(isRefused);
    if (mayTellSender) reported.add(planned.aliasId);
    await failures.report({ ...(mayTellSender ? planned : withoutSenderReport(planned)), wire }, outcome.failure);
  }
}

/** After a 5xx the sender knows of the failure, so the owner is notified only of webhooks that responded 410. */
export async function reportGoneWebhooks(all: readonly FirstTry[], failures: Failures): Promise<void> {
  for (const { planned, outcome } of all) {
    if (outcome?.kind !== "refused" || outcome.failure.code !== "webhook_gone") continue;
    await failures.report(withoutSenderReport(planned), outcome.failure);
  }
}

export function isTakenBySibling(tried: FirstTry, all: readonly FirstTry[]): boolean {
  return siblingsOf(tried, all).some(({ outcome }) => outcome?.kind === "taken");
}

function siblingsOf({ planned }: FirstTry, all: readonly FirstTry[]): readonly FirstTry[] {
  return all.filter((tried) => tried.planned.aliasId === planned.aliasId);
}

function isRefused({ outcome, isEnqueued }: FirstTry): boolean {
  return outcome?.kind === "refused" && !isEnqueued;
}

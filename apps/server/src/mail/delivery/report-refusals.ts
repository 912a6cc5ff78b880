/** Failure notices about destinations that refused a message before its sender was answered. */
import type { DeliveryOutcome } from "../../core/delivery/delivery.ts";
import type { PlannedDelivery } from "./delivery-plan.ts";
import { type FailureReporter, withoutSenderReport } from "./failures.ts";

interface Tried {
  planned: PlannedDelivery;
  /** Outcome of the delivery attempt; `null` while it is running. */
  outcome: DeliveryOutcome | null;
  /** Whether the delivery has a row in the store: its outcome is then reported when the row is settled. */
  isKept: boolean;
}

type Failures = Pick<FailureReporter, "report">;

/**
 * Reports refusals after a 250 to the owner, and once per alias to the sender if all destinations of the alias refused.
 */
export async function reportRefused(all: readonly Tried[], wire: Buffer, failures: Failures): Promise<void> {
  const reported = new Set<string | null>();
  for (const tried of all) {
    const { planned, outcome, isKept } = tried;
    if (outcome?.kind !== "refused" || isKept) continue;
    const mayTellSender = !reported.has(planned.aliasId) && siblingsOf(tried, all).every(isRefused);
    if (mayTellSender) reported.add(planned.aliasId);
    await failures.report({ ...(mayTellSender ? planned : withoutSenderReport(planned)), wire }, outcome.failure);
  }
}

/** After a 5xx, which tells the sender of the refusals, the owner is notified only of webhooks that answered 410. */
export async function reportGoneWebhooks(all: readonly Tried[], failures: Failures): Promise<void> {
  for (const { planned, outcome } of all) {
    if (outcome?.kind !== "refused" || outcome.failure.code !== "webhook_gone") continue;
    await failures.report(withoutSenderReport(planned), outcome.failure);
  }
}

/** Whether a destination of the same alias took the message. */
export function isTakenBySibling(tried: Tried, all: readonly Tried[]): boolean {
  return siblingsOf(tried, all).some(({ outcome }) => outcome?.kind === "taken");
}

/** All destinations of the same alias, including the given one. */
function siblingsOf({ planned }: Tried, all: readonly Tried[]): readonly Tried[] {
  return all.filter((tried) => tried.planned.aliasId === planned.aliasId);
}

function isRefused({ outcome, isKept }: Tried): boolean {
  return outcome?.kind === "refused" && !isKept;
}

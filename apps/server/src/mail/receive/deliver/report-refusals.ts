/** Who hears of destinations that refused a message before its sender was answered. */
import type { DeliveryOutcome } from "../../../core/delivery/delivery.ts";
import { type FailureReporter, ownersBusiness } from "../../queue/report-failure.ts";
import type { PlannedDelivery } from "../inbound-plan.ts";

interface Tried {
  planned: PlannedDelivery;
  /** `null` while it runs. */
  outcome: DeliveryOutcome | null;
  /** Its row is kept: what becomes of it is told when that is settled. */
  isKept: boolean;
}

type Failures = Pick<FailureReporter, "report">;

/** The sender hears once of an alias all of whose destinations refused; else a refusal is the owner's business only. */
export async function reportRefused(all: readonly Tried[], wire: Buffer, failures: Failures): Promise<void> {
  const told = new Set<string | null>();
  for (const it of all) {
    const { planned, outcome, isKept } = it;
    if (outcome?.kind !== "refused" || isKept) continue;
    const isSendersBusiness = !told.has(planned.aliasId) && siblingsOf(it, all).every(isRefused);
    if (isSendersBusiness) told.add(planned.aliasId);
    await failures.report({ ...(isSendersBusiness ? planned : ownersBusiness(planned)), wire }, outcome.failure);
  }
}

/** The sender hears of a refusal from us, the owner of nothing but what ends for good: their webhook. */
export async function reportGone(all: readonly Tried[], failures: Failures): Promise<void> {
  for (const { planned, outcome } of all) {
    if (outcome?.kind !== "refused" || outcome.failure.code !== "webhook_gone") continue;
    await failures.report(ownersBusiness(planned), outcome.failure);
  }
}

export function isTakenBeside(it: Tried, all: readonly Tried[]): boolean {
  return siblingsOf(it, all).some(({ outcome }) => outcome?.kind === "taken");
}

/** Destinations of the same alias, itself among them. */
function siblingsOf({ planned }: Tried, all: readonly Tried[]): readonly Tried[] {
  return all.filter((it) => it.planned.aliasId === planned.aliasId);
}

function isRefused({ outcome, isKept }: Tried): boolean {
  return outcome?.kind === "refused" && !isKept;
}

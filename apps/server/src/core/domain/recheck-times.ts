/** When a domain that an account holds is looked at next. */
import { bounds } from "../../limits/table.ts";
import type { DomainStanding } from "./domain-standing.ts";

const { everyMs, spreadMs, retryMs } = bounds.domainRechecks;

export interface LastLook {
  now: Date;
  /** Checks without an answer of DNS since the last with one. */
  unansweredChecks: number;
  /** From 0 to below 1, at random: spreads the checks of all domains over the day. */
  spread: number;
}

/** About a day later, or when the state ends; sooner when DNS did not answer. @returns `null` for a new domain */
export function nextCheckAt(
  { state, stateUntil }: Pick<DomainStanding, "state" | "stateUntil">,
  { now, unansweredChecks, spread }: LastLook,
): Date | null {
  if (state === "new") return null;
  const daily = everyMs + (spread - 0.5) * spreadMs;
  const afterMs =
    unansweredChecks > 0 ? Math.min(daily, retryMs * 2 ** (unansweredChecks - 1) * (0.75 + spread / 2)) : daily;
  const leftMs = stateUntil === null ? Infinity : stateUntil.getTime() - now.getTime();
  return new Date(
    now.getTime() + Math.round(leftMs > 0 && unansweredChecks === 0 ? Math.min(afterMs, leftMs) : afterMs),
  );
}

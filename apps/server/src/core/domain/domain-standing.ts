/**
 * What becomes of a proven domain whose records are no longer right: its mail goes on for a while, then waits, then is
 * refused, and at last another account may prove the domain. Only checks change a standing, never time alone, and the
 * time that one check counts is bounded, so that a clock that jumps or a server that was off ends nothing early.
 */
import type { AccountDomainWire } from "@kauke/contract";
import { bounds } from "../../limits/table.ts";

export type DomainState = AccountDomainWire["state"];

export interface DomainStanding {
  state: DomainState;
  /** When a check first found a required record missing or wrong; `null` while the domain is new or proven. */
  failingSince: Date | null;
  /** When the state ends unless a check proves the domain; `null` while it is new or proven. */
  stateUntil: Date | null;
  /** Up to when the state's time is counted. */
  countedAt: Date | null;
}

/** `unknown`: DNS did not answer, and no record that it did answer about is missing or wrong. */
export type DomainVerdict = "proves" | "fails" | "unknown";

const { failingMs, suspendedMs, closedMs, countedMs } = bounds.domainRechecks;

const next = {
  proven: { state: "failing", lastsMs: failingMs },
  failing: { state: "suspended", lastsMs: suspendedMs },
  suspended: { state: "closed", lastsMs: closedMs },
} as const;

const fresh = (state: "new" | "proven"): DomainStanding => ({
  state,
  failingSince: null,
  stateUntil: null,
  countedAt: null,
});

/** @returns the same object if nothing changes; at most one step further, whatever the time */
export function standingAfter(standing: DomainStanding, verdict: DomainVerdict, now: Date): DomainStanding {
  if (verdict === "proves") return standing.state === "proven" ? standing : fresh("proven");
  if (verdict === "unknown" || standing.state === "new") return standing;
  if (standing.state === "proven") return begin("proven", now, now);
  const { state, failingSince } = standing;
  const leftMs = leftAt(standing, now);
  const counted = { ...standing, stateUntil: new Date(now.getTime() + leftMs), countedAt: now };
  if (leftMs > 0) return counted;
  return state === "closed" ? fresh("new") : begin(state, now, failingSince ?? now);
}

function begin(before: keyof typeof next, now: Date, failingSince: Date): DomainStanding {
  const { state, lastsMs } = next[before];
  return { state, failingSince, stateUntil: new Date(now.getTime() + lastsMs), countedAt: now };
}

/** Milliseconds left of the state. The time since the last counted check counts as `countedMs` at most, and never backwards. */
function leftAt({ stateUntil, countedAt }: DomainStanding, now: Date): number {
  if (stateUntil === null || countedAt === null) return 0;
  const left = stateUntil.getTime() - countedAt.getTime();
  const passed = now.getTime() - countedAt.getTime();
  return left - Math.min(Math.max(passed, 0), countedMs);
}

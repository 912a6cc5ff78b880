/**
 * Kinds of calls that the provider limits apart: one that it asked us to wait with does not hold up the others. Once it
 * has, and while several accounts make calls of the kind, each has a share of it in a day, so that one can't use it up.
 */
import { FixedWindows } from "../../limits/rate.ts";
import { bounds } from "../../limits/table.ts";
import { BoundedMap } from "../../runtime/maps.ts";

export type CallKind = "create" | "password" | "other";

export interface CallGates {
  /** Whole seconds until an account may make calls of this kind; 0: now. */
  waitSeconds(kind: CallKind, userId: string): number;
  /** Counts a call that is about to be made. */
  spend(kind: CallKind, userId: string): void;
  /** @param seconds what the provider asked for; `null`: it gave no time @returns the seconds to wait */
  close(kind: CallKind, seconds: number | null): number;
}

const USUAL_SECONDS = 60;
/** Until an account that has had its share looks whether it has one again. */
const SHARE_SECONDS = 3600;
const DAY_SECONDS = 86_400;
/** How long the shares hold after a limit was met: it may be lifted for the operator. */
const MET_MS = 30 * DAY_SECONDS * 1000;
/** How long an account counts as one that makes calls. */
const ACTIVE_MS = 2 * DAY_SECONDS * 1000;
const ACCOUNTS_MAX = 4096;

/** @param nowMs monotonic */
export function callGates(nowMs: () => number): CallGates {
  const shares = { create: shareOf(bounds.providerCalls.created), password: shareOf(bounds.providerCalls.passwords) };
  const openAt = new Map<CallKind, number>();
  const metAt = new Map<CallKind, number>();
  const isShareSpent = (kind: CallKind, userId: string): boolean => {
    if (kind === "other") return false;
    const now = nowMs();
    const { spent, askedAt } = shares[kind];
    askedAt.set(userId, now);
    if (now - (metAt.get(kind) ?? -MET_MS) >= MET_MS || !spent.isEmpty(userId, now)) return false;
    for (const [other, at] of askedAt) if (other !== userId && now - at < ACTIVE_MS) return true;
    return false;
  };
  return {
    waitSeconds: (kind, userId) => {
      const wait = Math.max(0, Math.ceil(((openAt.get(kind) ?? 0) - nowMs()) / 1000));
      return isShareSpent(kind, userId) ? Math.max(wait, SHARE_SECONDS) : wait;
    },
    spend: (kind, userId) => {
      if (kind !== "other") shares[kind].spent.spend(userId, nowMs());
    },
    close: (kind, seconds) => {
      const wait = seconds ?? USUAL_SECONDS;
      openAt.set(kind, nowMs() + wait * 1000);
      metAt.set(kind, nowMs());
      return wait;
    },
  };
}

const shareOf = (max: number) => ({
  spent: new FixedWindows({ max, windowSeconds: DAY_SECONDS }, ACCOUNTS_MAX),
  askedAt: new BoundedMap<string, number>(ACCOUNTS_MAX),
});

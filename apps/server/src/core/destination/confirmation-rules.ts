/** How often a mailbox is asked, and where an answer leads. Pure. */
import { type ConfirmationChoice, type ConfirmationState, mailDays } from "@kauke/contract";
import type { AskDecision, KnownState } from "./destination.ts";

/** Unconfirmed mailboxes of one account. */
export const maxWaitingMailboxes = 5;
/** Messages to one mailbox for one account in all, the first included. */
export const maxMessages = 3;
const resendAfterMs = 86_400_000;
/** How long a link works. */
export const linkDays = mailDays.confirmationLink;

export interface AskedPair {
  state: ConfirmationState;
  askedAt: readonly Date[];
  /** Unconfirmed mailboxes of the account. */
  waiting: number;
}

export function decideAsk(pair: AskedPair, { now, isByOwner }: { now: Date; isByOwner: boolean }): AskDecision {
  const { state, askedAt, waiting } = pair;
  if (state === "new") return waiting >= maxWaitingMailboxes ? { kind: "too_many" } : { kind: "ask" };
  if (state !== "asked" || !isByOwner) return { kind: "known", state };
  if (askedAt.length >= maxMessages) return { kind: "too_soon", nextAt: null };
  const nextAt = new Date((askedAt.at(-1)?.getTime() ?? 0) + resendAfterMs);
  return nextAt > now ? { kind: "too_soon", nextAt } : { kind: "ask" };
}

/** Whoever reads the mailbox may change their mind; only a block is for good. */
export function stateAfter(state: KnownState, choice: ConfirmationChoice): KnownState {
  if (state === "blocked" || choice === "block") return "blocked";
  return choice === "mine" ? "confirmed" : "refused";
}

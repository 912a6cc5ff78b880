/** When a mailbox is asked for confirmation, and which state an answer leads to. Pure. */
import { type ConfirmationChoice, type ConfirmationState, mailDays } from "@kauke/contract";
import type { AskDecision, KnownState } from "./destination.ts";

/** Maximum unconfirmed mailboxes per account. */
export const WAITING_MAILBOXES_MAX = 5;
/** Maximum confirmation messages to one mailbox for one account, including the first. */
export const MESSAGES_MAX = 3;
const RESEND_AFTER_MS = 86_400_000;
/** Days until a confirmation link expires. */
export const LINK_DAYS = mailDays.confirmationLink;

export interface AskedPair {
  state: ConfirmationState;
  askedAt: readonly Date[];
  /** Number of unconfirmed mailboxes of the account. */
  waiting: number;
}

export function decideAsk(pair: AskedPair, { now, isByOwner }: { now: Date; isByOwner: boolean }): AskDecision {
  const { state, askedAt, waiting } = pair;
  if (state === "new") return waiting >= WAITING_MAILBOXES_MAX ? { kind: "too_many" } : { kind: "ask" };
  if (state !== "asked" || !isByOwner) return { kind: "known", state };
  if (askedAt.length >= MESSAGES_MAX) return { kind: "too_soon", nextAt: null };
  const nextAt = new Date((askedAt.at(-1)?.getTime() ?? 0) + RESEND_AFTER_MS);
  return nextAt > now ? { kind: "too_soon", nextAt } : { kind: "ask" };
}

/** The mailbox's reader may change the answer, except for a block, which only the operator can lift. */
export function stateAfter(state: KnownState, choice: ConfirmationChoice): KnownState {
  if (state === "blocked" || choice === "block") return "blocked";
  return choice === "mine" ? "confirmed" : "refused";
}

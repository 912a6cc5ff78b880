/** From the destinations' states to the reply: the table in ARCHITECTURE.md, "A message". Pure. */
import type { DeliveryOutcome } from "../../core/delivery/delivery.ts";
import type { MailRefusal } from "../reply.ts";

/** State when the sender gets the reply; `running`: the attempt has not finished. */
export type DestinationState = DeliveryOutcome | { kind: "running" };

/** Taken if a destination took the message, open if one still may, refused if all refused it. */
export type AliasState = "taken" | "open" | "refused";

export function aliasState(destinations: readonly DestinationState[]): AliasState {
  if (destinations.some(({ kind }) => kind === "taken")) return "taken";
  return destinations.every(({ kind }) => kind === "refused") ? "refused" : "open";
}

export interface AliasResult {
  destinations: readonly DestinationState[];
  refusedAs?: MailRefusal;
}

export type ReplyDecision =
  /** Reply 250 without storing anything: no delivery is open. */
  | { kind: "done" }
  /** Reply 250 after storing the body and every open delivery. */
  | { kind: "enqueue" }
  | { kind: "reject"; code: MailRefusal };

/** @param otherwiseTaken whether another recipient accepted the message (paused alias, operator, report) */
export function decideReply(aliases: readonly AliasResult[], otherwiseTaken: boolean): ReplyDecision {
  const isOpen = ({ kind }: DestinationState) => kind === "deferred" || kind === "running";
  if (aliases.some((alias) => alias.destinations.some(isOpen))) return { kind: "enqueue" };
  const allRefused = aliases.every((alias) => aliasState(alias.destinations) === "refused");
  if (aliases.length === 0 || otherwiseTaken || !allRefused) return { kind: "done" };
  return { kind: "reject", code: aliases.find((alias) => alias.refusedAs)?.refusedAs ?? "refused_by_all" };
}

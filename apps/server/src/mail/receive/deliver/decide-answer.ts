/** DESIGN's table of outcomes, pure: from what became of every destination to what the sender is told. */
import type { ErrorCode } from "@kauke/contract";
import type { DeliveryOutcome } from "../../../core/delivery/delivery.ts";

/** What became of one destination by the end of the budget; `running` is still at it. */
export type DestinationState = DeliveryOutcome | { kind: "running" };

/** An alias: taken when a destination took the message, open when one still may, refused when all gave 5xx. */
export type AliasState = "taken" | "open" | "refused";

export function aliasState(destinations: readonly DestinationState[]): AliasState {
  if (destinations.some((it) => it.kind === "taken")) return "taken";
  return destinations.every((it) => it.kind === "refused") ? "refused" : "open";
}

export interface AliasResult {
  destinations: readonly DestinationState[];
  /** Why we refused it ourselves, before any destination was asked. */
  refusedAs?: ErrorCode;
}

export type Answer =
  /** 250: nothing is left to do. */
  | { kind: "done" }
  /** Keep the body and every open destination, then 250. */
  | { kind: "keep" }
  | { kind: "reject"; code: ErrorCode };

/**
 * @param aliases every alias of the transaction that was to be served
 * @param otherwiseTaken whether a recipient besides them was taken (paused alias, operator, report)
 */
export function decideAnswer(aliases: readonly AliasResult[], otherwiseTaken: boolean): Answer {
  const isOpen = (it: DestinationState) => it.kind === "deferred" || it.kind === "running";
  if (aliases.some((alias) => alias.destinations.some(isOpen))) return { kind: "keep" };
  const allRefused = aliases.every((alias) => aliasState(alias.destinations) === "refused");
  if (aliases.length === 0 || otherwiseTaken || !allRefused) return { kind: "done" };
  return { kind: "reject", code: aliases.find((alias) => alias.refusedAs)?.refusedAs ?? "refused_by_all" };
}

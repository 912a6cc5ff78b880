/** Attempts delivery to all destinations, and stores what stays open. */
import { type DeliverDeps, deliver } from "../delivery/deliver-now.ts";
import type { TakenFingerprints } from "../delivery/taken-fingerprints.ts";
import { takenLedger } from "../delivery/taken-ledger.ts";
import type { SmtpReply } from "../reply.ts";
import type { PlannedMessage } from "./plan-deliveries.ts";

export interface DeliverMessageDeps {
  deliver: DeliverDeps;
  fingerprints: TakenFingerprints;
}

/** @returns 250 when each copy was delivered or refused, or is on stable storage */
export async function deliverMessage(
  { transaction, plan }: PlannedMessage,
  { deliver: deps, fingerprints }: DeliverMessageDeps,
): Promise<SmtpReply> {
  return deliver(transaction, plan, takenLedger(transaction.wire, fingerprints), deps);
}

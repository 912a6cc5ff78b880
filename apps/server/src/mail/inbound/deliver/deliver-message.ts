/** Attempts delivery to all destinations, and stores what stays open. */
import type { SmtpReply } from "../../reply.ts";
import type { PlannedMessage } from "../arrived-message.ts";
import { type DeliverDeps, deliver } from "./deliver.ts";
import type { TakenFingerprints } from "./taken-fingerprints.ts";
import { takenLedger } from "./taken-ledger.ts";

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

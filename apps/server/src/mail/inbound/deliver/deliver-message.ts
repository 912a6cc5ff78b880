/** The last stages: attempt delivery to all destinations, store what stays open, then queue replies of alias owners. */
import type { SmtpReply } from "../../reply.ts";
import { accept, answer, type StageVerdict } from "../../verdict.ts";
import type { DeliveredMessage, PlannedMessage } from "../arrived-message.ts";
import { type DeliverDeps, deliver } from "./deliver.ts";
import type { TakenFingerprints } from "./taken-fingerprints.ts";
import { takenLedger } from "./taken-ledger.ts";

export interface DeliverMessageDeps {
  deliver: DeliverDeps;
  fingerprints: TakenFingerprints;
}

export async function deliverMessage(
  message: PlannedMessage,
  deps: DeliverMessageDeps,
): Promise<StageVerdict<DeliveredMessage>> {
  const { transaction, plan } = message;
  const reply = await deliver(transaction, plan, takenLedger(transaction.wire, deps.fingerprints), deps.deliver);
  return reply.code === 250 ? accept({ ...message, reply }) : answer(reply);
}

/**
 * The stage that queues the owners' replies. It is the last one, because a retry of the sender would queue them again.
 */
export async function enqueueReplies({ replies, reply }: DeliveredMessage): Promise<StageVerdict<SmtpReply>> {
  return accept((await replies.enqueue()) ?? reply);
}

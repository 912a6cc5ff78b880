/**
 * The stage that stores mail to postmaster@ and abuse@ if no mailbox is set for it; `kauke doctor` reports this mail.
 */
import type { DeliveryStore } from "../../core/delivery/delivery.ts";
import { enqueueMessage, type MessageBodies } from "../../core/message/message.ts";
import type { Clock, Random } from "../../runtime/ports.ts";
import { replyForThrow } from "../reply.ts";
import { accept, endWith, type StageVerdict } from "../verdict.ts";
import type { PlannedMessage } from "./plan-deliveries.ts";

export interface KeepForOperatorDeps {
  operatorMail: { deliveries: Pick<DeliveryStore, "keepForOperator">; bodies: Pick<MessageBodies, "put" | "delete"> };
  clock: Clock;
  random: Random;
}

/** Stores a separate message for each operator address. */
export async function keepForOperator(
  message: PlannedMessage,
  { operatorMail: { deliveries, bodies }, clock, random }: KeepForOperatorDeps,
): Promise<StageVerdict<PlannedMessage>> {
  const { envelope, wire } = message.transaction;
  for (const address of message.plan.keepFor) {
    const stored = { id: random.uuid(), envelope, sizeBytes: wire.length, createdAt: clock.now() };
    try {
      await enqueueMessage(bodies, { id: stored.id, wire }, () => deliveries.keepForOperator(stored, address));
    } catch (thrown) {
      return endWith(replyForThrow(thrown));
    }
  }
  return accept(message);
}

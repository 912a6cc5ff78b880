/** One attempt to deliver to one destination, for the first attempt (during the transaction) and for every retry. */
import type { DeliveryOutcome, DeliveryTarget } from "../../core/delivery/delivery.ts";
import { EncryptionFailed } from "../message/encrypted-copy.ts";
import type { ForwardCopy } from "../message/forward-copy.ts";
import { type OngoingAttempt, outcomeOnly, type SendReport, type Transports } from "../transport/transport.ts";

/** Outcome of an attempt that failed because of this server. */
const failedHere: DeliveryOutcome = { kind: "deferred", failure: { code: "try_later", enhancedStatus: "4.3.0" } };

const notEncrypted: DeliveryOutcome = { kind: "deferred", failure: { code: "not_sealed", enhancedStatus: "4.7.5" } };

/** Always returns an outcome: an exception on the way is a failure of this server, and the delivery stays open. */
export async function attempt(
  delivery: { id: string; target: DeliveryTarget },
  copy: ForwardCopy,
  transports: Transports,
  ongoing: OngoingAttempt,
): Promise<SendReport> {
  try {
    const { destination } = delivery.target;
    if (destination.kind === "mailbox") {
      return await transports.mail.send(await copy.mailTo(destination.address), ongoing);
    }
    const body = await copy.webhookBody();
    if (body === null || copy.webhookSecret === null) return outcomeOnly(failedHere);
    const { id } = delivery;
    return await transports.webhook.post({ url: destination.url, id, secret: copy.webhookSecret, body }, ongoing);
  } catch (thrown) {
    return outcomeOnly(thrown instanceof EncryptionFailed ? notEncrypted : failedHere);
  }
}

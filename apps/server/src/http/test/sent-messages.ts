/** Reads our messages to an account's e-mail from the queue of a test server. */
import type { LeasedDelivery } from "../../core/delivery/delivery.ts";
import type { TestServer } from "./test-server.ts";

/** Claims messages like the delivery worker. @returns the text of each message to this mailbox, oldest first */
export async function sentMessagesTo({ store, clock }: TestServer, email: string): Promise<string[]> {
  const claimed: LeasedDelivery[] = [];
  // One claim leases only a share of each account's deliveries, so several claims are needed to read all of them.
  for (let isMore = true; isMore; ) {
    const claim = await store.deliveries.claim({ now: clock.now(), leaseMs: 1, limit: 1000 });
    claimed.push(...claim.deliveries);
    isMore = claim.isMore;
  }
  clock.advance(0.001);
  claimed.sort((a, b) => a.envelope.receivedAt.getTime() - b.envelope.receivedAt.getTime());
  const texts = [];
  for (const { target, messageId } of claimed) {
    const { destination, purpose } = target;
    if (purpose !== "account" || destination.kind !== "mailbox" || destination.address !== email) continue;
    texts.push((await store.bodies.get(messageId))?.toString("utf8") ?? "");
  }
  return texts;
}

/** Enqueues a message that we wrote ourselves. */
import { makeMessageId, parseAddress, stuff, toBase32 } from "@kauke/mail-rfc";
import type { CoreDeps } from "../core-deps.ts";
import type { DeliveryTarget } from "../delivery/delivery.ts";
import { enqueueMessage } from "../message/message.ts";
import type { OwnMailSettings, OwnMessageHead } from "./own-message.ts";

export type QueueDeps = Pick<CoreDeps, "deliveries" | "bodies" | "clock" | "random">;

export interface OwnMail {
  userId: string;
  /** Recipient: mailbox address in any spelling. */
  address: string;
  purpose: NonNullable<DeliveryTarget["purpose"]>;
  /** Writes the message to enqueue, not dot-stuffed, see `own-message.ts`. */
  write(head: OwnMessageHead): Buffer;
}

/**
 * Stores a message that we wrote ourselves, and its delivery.
 * @throws what the store throws; nothing was enqueued then
 */
export async function queueOwnMessage(
  { deliveries, bodies, clock, random }: QueueDeps,
  { domain }: OwnMailSettings,
  { userId, address, purpose, write }: OwnMail,
): Promise<void> {
  const at = clock.now();
  const id = random.uuid();
  const from = `no-reply@${domain}`;
  const messageId = makeMessageId(random.bytes(16), domain);
  const boundary = toBase32(random.bytes(16));
  const wire = stuff(write({ from, mailbox: address, messageId, boundary, at }));
  const isBeyondAscii = parseAddress(address).needsSmtpUtf8;
  const envelope = {
    envelopeFrom: from,
    helo: "",
    clientAddress: "",
    protocol: "ESMTP" as const,
    receivedAt: at,
    eightBit: isBeyondAscii,
    smtpUtf8: isBeyondAscii,
  };
  const target: DeliveryTarget = { purpose, destination: { kind: "mailbox", address }, aliasAddress: from };
  const delivery = { id: random.uuid(), messageId: id, aliasId: null, userId, target, attempts: 0, createdAt: at };
  const message = { id, envelope, sizeBytes: wire.length, createdAt: at };
  const row = { ...delivery, notBefore: at, lease: null, lastFailure: null };
  await enqueueMessage(bodies, { id, wire }, () => deliveries.keep(message, [row]));
}

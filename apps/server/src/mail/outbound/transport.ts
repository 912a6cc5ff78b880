/** How a message leaves: the seam between `attempt` and the wire. Three for mailboxes (preview, relay, direct), one for webhooks. */
import type { DeliveryOutcome } from "../../core/delivery/delivery.ts";

/** A message ready to leave: a new header block, then the received bytes from `body` on, untouched. */
export interface OutgoingMail {
  /** Empty for the null sender. */
  envelopeFrom: string;
  rcptTo: string;
  /** Dot-stuffed wire parts, CRLF lines, together ending in CRLF, without the final dot. Sent one after another. */
  wireParts: readonly Buffer[];
  sizeBytes: number;
  eightBit: boolean;
  smtpUtf8: boolean;
}

export interface MailTransport {
  /** Never throws for what a peer does: everything a peer can do is an outcome. @param signal ends the attempt as deferred */
  send(mail: OutgoingMail, signal?: AbortSignal): Promise<DeliveryOutcome>;
  /** Sends nothing new. @param graceMs for what is being sent; 500 without */
  close(graceMs?: number): Promise<void>;
}

export interface WebhookCall {
  url: string;
  /** `webhook-id`: the same for every attempt of one delivery. */
  id: string;
  /** `whsec_` secret of the alias, decoded. */
  secret: Buffer;
  /** The JSON body, made once per message and alias. */
  body: Buffer;
}

export interface WebhookTransport {
  post(call: WebhookCall, signal?: AbortSignal): Promise<DeliveryOutcome>;
  close(): Promise<void>;
}

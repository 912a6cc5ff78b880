/** Interfaces between delivery attempts and the network: for mailboxes (preview, relay, direct) and for webhooks. */
import type { DeliveryOutcome } from "../../core/delivery/delivery.ts";

/** Tells an attempt to stop. An AbortSignal implements it. */
export interface StopSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Signals that a transport observes during an attempt, and callbacks for its progress. */
export interface AttemptSignal extends StopSignal {
  /** Party that the mail belongs to; queues and shares are fair between parties. */
  readonly party?: string;
  /** Network that the party's account was registered from, as an opaque text; absent when that is unknown. */
  readonly network?: string;
  /** Called before connecting to an address. @returns false when too many attempts are at this address already */
  reachPeer?(address: string): boolean;
  /**
   * Called before using a provider's host.
   * @returns false when the provider recently replied that it is busy and already has as many attempts as it is allowed
   * since (none during the pause)
   */
  reachProvider?(name: string): boolean;
  /** Called when a 4xx reply means that the host is busy. */
  noteBusy?(): void;
  /** Set when the host replied to RCPT with an explicit status for a missing mailbox (5.1.1, 5.1.2, 5.2.1). */
  isMailboxMissing?: boolean;
  /** Called when the attempt starts or stops waiting for a limit of ours, e.g. of connections: not the peer's time. */
  wait?(isWaiting: boolean): void;
  /**
   * Called just before the end of the message may reach the peer. The bytes of a large message are not needed any more;
   * those of a small one may still be in the socket's buffer.
   */
  sendEnd?(): void;
}

/** A message ready to be sent to one recipient. */
export interface OutgoingMail {
  /** Envelope sender; empty for the null sender. */
  envelopeFrom: string;
  rcptTo: string;
  /**
   * Dot-stuffed parts with CRLF lines, together ending in CRLF, without the final dot, sent one after another. The
   * owner may empty this list once the final dot is sent, or when it stops the attempt: read the parts from the list,
   * and keep no other reference to them while waiting.
   */
  wireParts: readonly Buffer[];
  sizeBytes: number;
  eightBit: boolean;
  smtpUtf8: boolean;
}

export interface MailTransport {
  /**
   * Attempts to deliver one message. Never throws because of what a peer does: that is always an outcome.
   * @param signal stops the attempt, whose outcome is then deferred
   */
  send(mail: OutgoingMail, signal?: AttemptSignal): Promise<DeliveryOutcome>;
  /** Stops accepting mail. @param graceMs milliseconds to wait for messages in progress; default 500 */
  close(graceMs?: number): Promise<void>;
}

export interface WebhookCall {
  url: string;
  /** Value of the `webhook-id` header: the same for every attempt of one delivery. */
  id: string;
  /** The alias' `whsec_` secret, decoded. */
  secret: Buffer;
  /** The JSON body, made once per message and alias. */
  body: Buffer;
}

export interface WebhookTransport {
  post(call: WebhookCall, signal?: AttemptSignal): Promise<DeliveryOutcome>;
  close(): Promise<void>;
}

export interface Transports {
  mail: MailTransport;
  webhook: WebhookTransport;
}

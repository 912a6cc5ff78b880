import type { DeliveryOutcome, FailureCode } from "../../core/delivery/delivery.ts";

/** The attempt that a transport sends for: its party, its signal to stop, and callbacks. */
export interface OngoingAttempt {
  readonly signal: AbortSignal;
  /** Account, or for mail of no account the destination: queues and connections are fair between parties. */
  readonly party: string;
  /** Network that the account was registered from, as an opaque text; the party when unknown. */
  readonly network: string;
  /** Called before connecting. @returns false when too many attempts are at this address already */
  reachPeer(address: string): boolean;
  /** Called before using a host. @returns false when its provider is busy and has its maximum of attempts */
  reachProvider(name: string): boolean;
  /** Called when the attempt starts or stops waiting for one of our own limits, which is not the peer's time. */
  wait(isWaiting: boolean): void;
  /**
   * Called before the end of the message may reach the peer: from then on the attempt must not be stopped.
   * @param isPassedOn the system has all bytes before the end; else they count as memory, and another host can get them
   */
  sendEnd(isPassedOn: boolean): void;
}

export interface SendReport {
  outcome: DeliveryOutcome;
  /** A host replied to RCPT that the mailbox does not exist (5.1.1, 5.1.2, 5.2.1). */
  isMailboxMissing: boolean;
  /** Providers whose hosts replied that they are busy; `null`: the destination itself, by a relay. */
  busyProviders: readonly (string | null)[];
}

export interface OutgoingMail {
  readonly envelopeFrom: string;
  readonly rcptTo: string;
  readonly sizeBytes: number;
  readonly eightBit: boolean;
  readonly smtpUtf8: boolean;
  /** Dot-stuffed, without the final dot; `null` once released. Do not hold the bytes while waiting for a reply. */
  readonly wire: () => readonly Buffer[] | null;
  /** Why the last attempt did not end the delivery; absent at the first. */
  readonly lastFailure?: FailureCode;
  /** A copy of somebody else's mail, not written by us or as an alias. */
  readonly isForwarded?: boolean;
  /** Written by an account, not by the server itself. */
  readonly isComposed?: boolean;
  /** Shown by the preview inbox. */
  readonly origin?: { messageId: string; alias: string };
}

export const outcomeOnly = (outcome: DeliveryOutcome): SendReport => ({
  outcome,
  isMailboxMissing: false,
  busyProviders: [],
});

export interface MailTransport {
  /** Never throws because of what a peer does: that is always an outcome. */
  send(mail: OutgoingMail, attempt: OngoingAttempt): Promise<SendReport>;
  /** @param graceMs milliseconds to wait for messages in progress; default 500 */
  close(graceMs?: number): Promise<void>;
}

export interface WebhookCall {
  url: string;
  /** Value of `webhook-id`, the same for every attempt of one delivery. */
  id: string;
  /** The alias' `whsec_` secret, decoded. */
  secret: Buffer;
  body: Buffer;
}

export interface WebhookTransport {
  post(call: WebhookCall, attempt: OngoingAttempt): Promise<SendReport>;
  close(): Promise<void>;
}

export interface Transports {
  mail: MailTransport;
  webhook: WebhookTransport;
}

import type { DeliveryOutcome } from "../../core/delivery/delivery.ts";

/** The attempt that a transport sends for: whose it is, when to stop, and what to ask and tell meanwhile. */
export interface OngoingAttempt {
  readonly signal: AbortSignal;
  /** Account, or the destination for mail of no account: queues and connections are shared fairly between parties. */
  readonly party: string;
  /** Network that the account was registered from, as an opaque text; the party when unknown. */
  readonly network: string;
  /** Asked before connecting. @returns false when too many attempts are at this address already */
  reachPeer(address: string): boolean;
  /** Asked before using a host. @returns false when its provider is busy and has as many attempts as it may have */
  reachProvider(name: string): boolean;
  /** Told when the attempt starts or stops waiting for a limit of ours: that is not the peer's time. */
  wait(isWaiting: boolean): void;
  /**
   * Told just before the end of the message may reach the peer: from then on the attempt must not be stopped.
   * @param isPassedOn whether the system has all bytes before the end. Those of a small message may still be in the
   * socket's buffer, so they go on to count as memory, and the next host can still get them
   */
  sendEnd(isPassedOn: boolean): void;
}

export interface SendReport {
  outcome: DeliveryOutcome;
  /** Whether a host replied to RCPT that the mailbox does not exist (5.1.1, 5.1.2, 5.2.1). */
  isMailboxMissing: boolean;
  /** Providers whose hosts replied that they are busy; `null` is the destination itself, by a relay. */
  busyProviders: readonly (string | null)[];
}

export interface OutgoingMail {
  /** Empty for the null sender. */
  readonly envelopeFrom: string;
  readonly rcptTo: string;
  readonly sizeBytes: number;
  readonly eightBit: boolean;
  readonly smtpUtf8: boolean;
  /**
   * Dot-stuffed parts with CRLF lines, together ending in CRLF, without the final dot. Keep none in a function that
   * waits for a reply: ten minutes of waiting must not occupy memory.
   * @returns `null` once the copy was released: the attempt was stopped, or the system has all bytes
   */
  readonly wire: () => readonly Buffer[] | null;
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
  /** `webhook-id`: the same for every attempt of one delivery. */
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

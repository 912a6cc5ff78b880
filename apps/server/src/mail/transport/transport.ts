/** How a message leaves: the seam between `attempt` and the wire. Three for mailboxes (preview, relay, direct), one for webhooks. */
import type { DeliveryOutcome } from "../../core/delivery/delivery.ts";

/** Tells an attempt to end. An AbortSignal is one. */
export interface StopSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** What a transport listens to while it works on an attempt, and what it tells of its progress. */
export interface AttemptSignal extends StopSignal {
  /** Whose mail it is; lines and shares are fair between parties. */
  readonly party?: string;
  /** Called before an address of the destination is used. @returns false: too many attempts are at this address already */
  reachPeer?(address: string): boolean;
  /** Called before a host of the provider is used. @returns false: it asked us to slow down, and has attempts enough */
  reachProvider?(name: string): boolean;
  /** Called when the host answered 4xx for a reason of its own. */
  noteBusy?(): void;
  /** Set when the host answered RCPT by an explicit status that there is no such mailbox (5.1.1, 5.1.2, 5.2.1). */
  isMailboxMissing?: boolean;
  /** Called when the attempt begins or ends to wait for something of ours, e.g. a connection: not the destination's fault. */
  wait?(isWaiting: boolean): void;
  /** Called just before the end of the message may reach the peer. Nobody needs the bytes any more unless the message is small. */
  sendEnd?(): void;
}

/** A message ready to leave: a new header block, then the received bytes from `body` on, untouched. */
export interface OutgoingMail {
  /** Empty for the null sender. */
  envelopeFrom: string;
  rcptTo: string;
  /**
   * Dot-stuffed wire parts, CRLF lines, together ending in CRLF, without the final dot. Sent one after another. The owner may empty
   * the list once the final dot was sent, or when it ends the attempt: read it from here, keep no other reference while waiting.
   */
  wireParts: readonly Buffer[];
  sizeBytes: number;
  eightBit: boolean;
  smtpUtf8: boolean;
}

export interface MailTransport {
  /** Never throws for what a peer does: everything a peer can do is an outcome. @param signal ends the attempt as deferred */
  send(mail: OutgoingMail, signal?: AttemptSignal): Promise<DeliveryOutcome>;
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
  post(call: WebhookCall, signal?: AttemptSignal): Promise<DeliveryOutcome>;
  close(): Promise<void>;
}

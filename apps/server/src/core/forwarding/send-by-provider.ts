/** Sending through the forwarding provider: one message to one recipient is handed over, and asked for later. */
import type { ProviderProblem } from "@kauke/contract";

export interface SentMessage {
  /** Without angle brackets. */
  messageId: string;
  to: string;
}

export interface ProviderMessage extends SentMessage {
  /** The whole message in ASCII, without a Bcc field. */
  raw: string;
  /** Address of its From field, the only one that the provider accepts. */
  from: string;
  /** Account that sends it, or something that stands for none. */
  party: string;
  /** Written by an account: it waits while the rest of the provider's limit is reserved for the server's own mail. */
  isComposed: boolean;
}

export type ProviderMailState =
  | { kind: "waiting" }
  | { kind: "sent" }
  /** The provider itself did not send it, or somebody took it out of the queue there. */
  | { kind: "rejected" }
  /** The recipient's host refused it. @property replyCode SMTP reply, if the provider tells it */
  | { kind: "bounced"; replyCode: number | null; enhancedStatus: string | null };

export type HandOver =
  | ProviderMailState
  /** Not there, and the provider does not take it. */
  | { kind: "refused" }
  /** `isUncertain`: it may be there, or may be yet. */
  | { kind: "failed"; problem: ProviderProblem; retryAfterSeconds: number | null; isUncertain: boolean };

export type Asked =
  | ProviderMailState
  | { kind: "absent" }
  /** Not read, e.g. because of the provider's limit. */
  | { kind: "unread"; retryAfterSeconds: number };

/** No method throws because of what the provider does. */
export interface SendByProvider {
  handOver(message: ProviderMessage, signal: AbortSignal): Promise<HandOver>;
  /** Asks for this message alone, now. */
  find(sent: SentMessage, signal: AbortSignal): Promise<Asked>;
  /** Like `find`, from a list that is read for many messages at once and may be some seconds old. */
  follow(sent: SentMessage, signal: AbortSignal): Promise<Asked>;
}

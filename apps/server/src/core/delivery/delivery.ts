/** One message to one destination of one alias: the only queue of the product. */
import type { Destination } from "@kauke/contract";
import type { MessageEnvelope } from "../message/message.ts";

/** Why a destination did not take a message, in our own closed words: a peer's text may hold the real address. */
export type FailureCode =
  | "unreachable"
  | "timed_out"
  | "connection_lost"
  | "dns_failed"
  | "no_mail_host"
  | "address_not_allowed"
  | "mailbox_unknown"
  | "mailbox_full"
  | "too_large"
  | "try_later"
  | "refused_by_policy"
  | "refused_content"
  | "login_failed"
  | "tls_failed"
  | "not_supported"
  | "webhook_status"
  | "webhook_gone"
  | "not_confirmed"
  | "not_wanted"
  | "not_sealed"
  | "expired"
  | "spool_lost";

export interface DeliveryFailure {
  code: FailureCode;
  /** RFC 3463, e.g. `4.4.1`. */
  enhancedStatus: string;
}

export type DeliveryOutcome =
  | { kind: "taken" }
  | { kind: "deferred"; failure: DeliveryFailure }
  | { kind: "refused"; failure: DeliveryFailure };

/** What an attempt needs to know; sealed at rest as one document. */
export interface DeliveryTarget {
  /**
   * `send`: mail that leaves as the alias (composed, submitted, replied); the stored message is final. Absent: forwarded mail,
   * rewritten at every attempt from the bytes that came in. `report`: a delivery report of ours, with the null sender. `confirm`: our
   * question to a mailbox whether it is the owner's. `account`: our message to an account's own e-mail.
   */
  purpose?: "send" | "report" | "confirm" | "account";
  destination: Destination;
  /** Lower case. */
  aliasAddress: string;
  /** The proven sender, to be told when this, the alias' only destination, finally fails. */
  reportTo?: string;
}

export interface Delivery {
  id: string;
  messageId: string;
  /** `null`: kept for the operator (postmaster), see `messages kept`. */
  aliasId: string | null;
  userId: string | null;
  target: DeliveryTarget;
  /** Attempts made so far. */
  attempts: number;
  createdAt: Date;
}

/** A delivery handed to this process until `leasedUntil`. */
export interface LeasedDelivery extends Delivery {
  leaseToken: string;
  leasedUntil: Date;
  envelope: MessageEnvelope;
  sizeBytes: number;
  /** Composed mail: tries after the first before it fails; for all other mail the schedule alone decides. */
  maxRetries?: number;
}

/** A delivery to be kept: waiting (`notBefore`), or already leased to the attempt that is still running. */
export interface OpenDelivery extends Delivery {
  notBefore: Date;
  lease: { token: string; until: Date } | null;
  lastFailure: DeliveryFailure | null;
  /** 0 unless said; among what is due, higher is claimed first. */
  priority?: number;
}

/** A leased delivery that nobody has time for now. */
export interface PutBack {
  id: string;
  leaseToken: string;
  notBefore: Date;
}

export interface MessageToKeep {
  id: string;
  /** Of composed mail. */
  emailJobId?: string;
  envelope: MessageEnvelope;
  sizeBytes: number;
  createdAt: Date;
}

/**
 * The queue. Every finishing call is guarded by the lease: a lost lease changes nothing and answers false. A composed message's
 * record (`email_job`) changes in the same commit.
 */
export interface DeliveryStore {
  /** The message row and its open deliveries in one commit (fsync). The body must be in `MessageBodies` before. */
  keep(message: MessageToKeep, deliveries: readonly OpenDelivery[]): Promise<void>;
  /**
   * Mail to postmaster@ or abuse@ with no destination set: kept sealed for the operator, never claimed by the sender.
   * @param address lower case, the recipient as it was named
   * @throws AppError `spool_quota` when 1000 messages or 64 MiB are kept already
   */
  keepForOperator(message: MessageToKeep, address: string): Promise<void>;
  countKeptForOperator(): Promise<number>;
  /** Due rows, and rows whose lease ran out: by priority, then oldest first (`FOR UPDATE SKIP LOCKED`). */
  claim(options: { now: Date; leaseMs: number; limit: number }): Promise<LeasedDelivery[]>;
  extendLease(id: string, leaseToken: string, until: Date): Promise<boolean>;
  /**
   * Ends the delivery; the message row goes with its last one.
   * @param failure why it ends undelivered; `null` when it was taken
   * @returns false when the lease was lost
   */
  finish(
    id: string,
    leaseToken: string,
    failure: DeliveryFailure | null,
  ): Promise<{ finished: boolean; messageDone: string | null }>;
  /** Puts it back until `notBefore`, one attempt more. */
  defer(id: string, leaseToken: string, next: { notBefore: Date; failure: DeliveryFailure }): Promise<boolean>;
  /** Gives leased deliveries back untried, due again at `notBefore`; those whose lease was lost are left alone. */
  putBack(deliveries: readonly PutBack[]): Promise<void>;
  /** Earliest moment anything is due or a lease runs out; `null` when the queue is empty. */
  nextDueAt(): Promise<Date | null>;
  /** Open deliveries of one alias, for the spool quota. */
  countForAlias(aliasId: string): Promise<number>;
  count(): Promise<number>;
  isKnownMessage(messageId: string): Promise<boolean>;
  /** Embedded only, at start: frees every lease, since no other process can be holding one. @returns how many */
  releaseLeases(): Promise<number>;
  /** Calls back when another process (or this one) put something into the queue. `dueAt`: when it is due; `null`: now. */
  onWake(listener: (dueAt: Date | null) => void): void;
}

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

/** Why a delivery ended for good. */
export interface FinalFailure extends DeliveryFailure {
  /** Of a delivery that expired: the failure of its last attempt. */
  last?: DeliveryFailure;
}

export type DeliveryOutcome =
  | { kind: "taken" }
  /**
   * @property isUntried too much goes to this destination already: it was not asked, and no attempt is counted
   * @property notBefore of what was not tried: when to offer it again, if that is known
   */
  | { kind: "deferred"; failure: DeliveryFailure; isUntried?: true; notBefore?: Date }
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
  /** The proven sender, to be told when no destination of the alias took the message. */
  reportTo?: string;
  /** The alias has other destinations too. */
  isOneOfSeveral?: true;
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
  /** 0 unless said; among what is due of one account, higher is claimed first. Of no meaning for own mail. */
  priority?: number;
}

/** A leased delivery that nobody has time for now. */
export interface PutBack {
  id: string;
  leaseToken: string;
  notBefore: Date;
}

/** Mail the server writes itself about accounts, mailboxes and deliveries: it has a share of the queue that nobody else can use. */
export function isOwnMail({ purpose }: DeliveryTarget): boolean {
  return purpose === "account" || purpose === "confirm" || purpose === "report";
}

export interface ClaimOptions {
  now: Date;
  leaseMs: number;
  limit: number;
  /** Of the server's own mail, beside `limit`; as many unless said. */
  ownLimit?: number;
  /** Of one account; all unless said. */
  perAccount?: number;
  /** Accounts that get nothing now but own mail. */
  full?: readonly string[];
  /** Attempts of accounts that run already: whoever has fewer goes first. */
  running?: ReadonlyMap<string, number>;
}

/** A leased row whose sealed part, or its message's, does not open or is not of the form this version knows. */
export interface UnreadableDelivery {
  id: string;
  messageId: string;
  aliasId: string | null;
  userId: string | null;
  attempts: number;
  leaseToken: string;
  maxRetries?: number;
}

export interface Claimed {
  deliveries: LeasedDelivery[];
  unreadable: UnreadableDelivery[];
  /** More may be due than was claimed. */
  isMore: boolean;
}

/** What a delivery counts in the spool beside its message: its row with the indexes, and the least a file takes. */
export const SPOOL_ROW_BYTES = 4096;

export interface MessageToKeep {
  id: string;
  /** Of composed mail. */
  emailJobId?: string;
  envelope: MessageEnvelope;
  sizeBytes: number;
  createdAt: Date;
}

export interface Finished {
  /** False when the lease was lost. */
  finished: boolean;
  /** The message that went with its last delivery. */
  messageDone: string | null;
  /** It was the last open delivery of the message for its alias, and no other took the message. Of composed mail always false. */
  isTakenByNone: boolean;
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
  /**
   * Due rows, and rows whose lease ran out, in turns between accounts; of one account by priority, then oldest first. The cost does
   * not grow with the queue (`FOR UPDATE SKIP LOCKED`).
   */
  claim(options: ClaimOptions): Promise<Claimed>;
  extendLease(id: string, leaseToken: string, until: Date): Promise<boolean>;
  /**
   * Ends the delivery; the message row goes with its last one.
   * @param failure why it ends undelivered; `null` when it was taken
   */
  finish(id: string, leaseToken: string, failure: DeliveryFailure | null): Promise<Finished>;
  /** Puts it back until `notBefore`, one attempt more. */
  defer(id: string, leaseToken: string, next: { notBefore: Date; failure: DeliveryFailure }): Promise<boolean>;
  /** Gives leased deliveries back untried, due again at `notBefore`; those whose lease was lost are left alone. */
  putBack(deliveries: readonly PutBack[]): Promise<void>;
  /** Makes waiting deliveries due now; the attempt that deferred them is not counted. Leased ones are left alone. */
  hasten(ids: readonly string[], now: Date): Promise<void>;
  /** Earliest moment anything is due or a lease runs out; `null` when the queue is empty. */
  nextDueAt(): Promise<Date | null>;
  /** Open deliveries of one alias, for the spool quota. */
  countForAlias(aliasId: string): Promise<number>;
  /**
   * Bytes of undelivered mail of an account or alias. A message counts once, however many of its deliveries are open; each open
   * delivery adds `SPOOL_ROW_BYTES`. Found by index; the cost grows with the open deliveries of that account or alias.
   */
  spoolBytes(owner: "account" | "alias", id: string): Promise<number>;
  count(): Promise<number>;
  isKnownMessage(messageId: string): Promise<boolean>;
  /** Embedded only, at start: frees every lease, since no other process can be holding one. @returns how many */
  releaseLeases(): Promise<number>;
  /** Calls back when another process (or this one) put something into the queue. `dueAt`: when it is due; `null`: now. */
  onWake(listener: (dueAt: Date | null) => void): void;
}

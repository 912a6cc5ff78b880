/** One message to one destination of one alias, and the queue of all of them, the product's only one. */
import type { ForwardToEntry } from "@kauke/contract";
import type { MessageEnvelope } from "../message/message.ts";
import type { MarksToStore } from "../reply-path.ts";

/** Why a destination did not accept a message: a closed set, since a peer's reply text may contain the real address. */
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

/** Failures of a connection before its first message; also the label's values of a metric. */
export const nextHopFailures = [
  ...(["unreachable", "timed_out", "connection_lost", "dns_failed"] as const),
  ...(["login_failed", "tls_failed", "try_later", "not_supported"] as const),
] satisfies readonly FailureCode[];

export interface DeliveryFailure {
  code: FailureCode;
  /** Enhanced status code (RFC 3463), e.g. `4.4.1`. */
  enhancedStatus: string;
}

export interface FinalFailure extends DeliveryFailure {
  last?: DeliveryFailure;
}

export type DeliveryOutcome =
  | { kind: "taken" }
  /** `isUntried`: no attempt was made, since the destination is at its concurrency limit; next one at `notBefore`. */
  | { kind: "deferred"; failure: DeliveryFailure; isUntried?: true; notBefore?: Date }
  | { kind: "refused"; failure: DeliveryFailure };

export interface DeliveryTarget {
  /**
   * Absent: forwarded mail, rewritten at every attempt from the bytes received. `send`: mail that leaves as the alias,
   * stored in its final form. `report`: our delivery report, with the null sender. `confirm`: our request to a mailbox
   * to confirm that it belongs to the owner. `account`: our message to an account's own e-mail.
   */
  purpose?: "send" | "report" | "confirm" | "account";
  destination: ForwardToEntry;
  /** Address of the alias as `name@domain`, in lower case. */
  aliasAddress: string;
  /** Authenticated sender to notify if no destination of the alias accepts the message. */
  reportTo?: string;
  isOneOfSeveral?: true;
}

export interface Delivery {
  id: string;
  messageId: string;
  /** Alias or account that owns the delivery; `null` for own and operator mail, and for a deleted alias. */
  aliasId: string | null;
  userId: string | null;
  target: DeliveryTarget;
  attempts: number;
  createdAt: Date;
}

export interface LeasedDelivery extends Delivery {
  leaseToken: string;
  leasedUntil: Date;
  envelope: MessageEnvelope;
  sizeBytes: number;
  /** Block of addresses that the account was registered from, as an opaque text; absent when that is unknown. */
  registeredFrom?: string;
  /** Maximum retries of composed mail; for other mail only the retry schedule decides. */
  maxRetries?: number;
}

export interface OpenDelivery extends Delivery {
  notBefore: Date;
  lease: { token: string; until: Date } | null;
  lastFailure: DeliveryFailure | null;
  /** Higher priorities of one account are claimed first; 0 by default, ignored for the server's own mail. */
  priority?: number;
}

export interface PutBack {
  id: string;
  leaseToken: string;
  notBefore: Date;
}

/** Written by the server itself (about accounts, mailboxes or deliveries); a part of the queue is reserved for it. */
export function isOwnMail({ purpose }: DeliveryTarget): boolean {
  return purpose === "account" || purpose === "confirm" || purpose === "report";
}

export interface ClaimOptions {
  now: Date;
  leaseMs: number;
  limit: number;
  /** Maximum deliveries of the server's own mail, in addition to `limit`; defaults to `limit`. */
  ownLimit?: number;
  perAccount?: number;
  /** Accounts at their concurrency limit: only the server's own mail to them is claimed. */
  full?: readonly string[];
  /** Attempts in progress per account; accounts with fewer are claimed first. */
  running?: ReadonlyMap<string, number>;
}

/** A delivery whose sealed data, or its message's, cannot be decrypted or parsed by this version. */
export interface UnreadableDelivery extends Omit<Delivery, "target" | "createdAt"> {
  leaseToken: string;
  maxRetries?: number;
}

export interface Claimed {
  deliveries: LeasedDelivery[];
  unreadable: UnreadableDelivery[];
  isMore: boolean;
  /** Whether another claim might return more; if not, the accounts are at their limit, or the rows locked elsewhere. */
  isCutShort: boolean;
}

/** A delivery's row with indexes, and the minimum size of a file: counted towards the spool. */
export const SPOOL_ROW_BYTES = 4096;

export interface MessageToEnqueue {
  id: string;
  emailJobId?: string;
  envelope: MessageEnvelope;
  sizeBytes: number;
  createdAt: Date;
}

export interface Finished {
  finished: boolean;
  messageDone: string | null;
  isTakenByNone: boolean;
}

/**
 * Methods that take a lease token do nothing when the lease was lost, and their result says so. A change to a delivery
 * of composed mail changes its record (`email_job`) in the same commit.
 */
export interface DeliveryStore {
  /**
   * Inserts the message, its open deliveries and `marks` in one commit (fsync). The body must already be in
   * `MessageBodies`.
   * @throws AppError `busy` when a mark is known that may not repeat; then nothing is stored
   */
  enqueue(message: MessageToEnqueue, deliveries: readonly OpenDelivery[], marks?: MarksToStore): Promise<void>;
  /**
   * Stores mail to postmaster@ or abuse@ when no destination is configured; sealed for the operator and never claimed.
   * Above 1000 messages or 64 MiB, older ones are evicted.
   * @param address as the client spelled it, in lower case
   * @throws AppError `spool_quota` when the new message itself would be evicted
   */
  keepForOperator(message: MessageToEnqueue, address: string): Promise<void>;
  countKeptForOperator(): Promise<number>;
  /**
   * Leases due deliveries and those whose lease expired, in turn between accounts; within an account by priority, then
   * oldest first. Concurrent claims skip each other's rows (`FOR UPDATE SKIP LOCKED`). The cost does not grow with the
   * queue.
   */
  claim(options: ClaimOptions): Promise<Claimed>;
  extendLease(id: string, leaseToken: string, until: Date): Promise<boolean>;
  /** Ends a delivery and deletes its message with the last one. @param failure `null` when the message was accepted */
  finish(id: string, leaseToken: string, failure: DeliveryFailure | null): Promise<Finished>;
  /** False when the lease was lost; then nothing was changed. */
  defer(id: string, leaseToken: string, next: { notBefore: Date; failure: DeliveryFailure }): Promise<boolean>;
  putBack(deliveries: readonly PutBack[]): Promise<void>;
  /** Makes waiting deliveries due now and does not count the attempt that deferred them; skips leased ones. */
  hasten(ids: readonly string[], now: Date): Promise<void>;
  /** When a delivery is due or a lease expires; `null` when the queue is empty. */
  nextDueAt(): Promise<Date | null>;
  countForAlias(aliasId: string): Promise<number>;
  /**
   * Bytes of undelivered mail. A message counts once, however many of its deliveries are open; each of these adds
   * `SPOOL_ROW_BYTES`. The cost grows with the number of open deliveries of that account or alias.
   */
  spoolBytes(owner: "account" | "alias", id: string): Promise<number>;
  count(): Promise<number>;
  isKnownMessage(messageId: string): Promise<boolean>;
  releaseLeases(): Promise<number>;
  /** Called when this or another process enqueues a delivery. `dueAt`: when it is due; `null`: now. */
  onWake(listener: (dueAt: Date | null) => void): void;
}

export const failureText: Record<FailureCode, string> = {
  unreachable: "its mail host could not be reached",
  timed_out: "its mail host did not answer in time",
  connection_lost: "the connection to its mail host broke",
  dns_failed: "its domain could not be looked up",
  no_mail_host: "its domain takes no mail",
  address_not_allowed: "it leads to a private or local network address",
  mailbox_unknown: "there is no such mailbox",
  mailbox_full: "the mailbox is full",
  too_large: "the message is too large for it",
  try_later: "its mail host kept asking us to come back later",
  refused_by_policy: "its mail host refused the message by its rules",
  refused_content: "its mail host refused what the message holds",
  login_failed: "our relay did not let us sign in",
  tls_failed: "no secure connection to it could be made",
  not_supported: "its mail host can't take messages of this kind",
  webhook_status: "it did not answer with success",
  webhook_gone:
    "it answered that it is gone for good (410). It is paused until you save where the alias forwards again",
  not_confirmed: "it is not confirmed yet, and takes little mail until then",
  not_wanted: "whoever reads it says that it is not yours",
  not_sealed: "it could not be encrypted to your key",
  expired: "it did not take the message in the time allowed",
  spool_lost: "it could not be read back from our store",
};

export interface InFlightMessage {
  message: MessageToEnqueue;
  delivery: OpenDelivery;
  wire: Buffer;
}

export interface InFlightMessages {
  /** Resolves when the message is on stable storage: after a crash it is queued. @throws AppError `spool_failed` */
  store(inFlight: InFlightMessage): Promise<void>;
  /** Deletes the message's file when its delivery attempt has ended and nothing is left to retry. */
  forget(messageId: string): Promise<void>;
  /**
   * Enqueues the message after its attempt failed, under the delivery's lease.
   * @param inFlight `wire` is `null` when the bytes are no longer in memory; they are then read back
   * @returns false when the alias or account no longer exists; the message is then deleted
   * @throws AppError `spool_failed`; the message is still in its file
   */
  moveToQueue(inFlight: Omit<InFlightMessage, "wire"> & { wire: Buffer | null }): Promise<boolean>;
}

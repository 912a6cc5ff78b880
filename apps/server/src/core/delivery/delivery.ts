/** A message to one destination of one alias, and the queue of all such deliveries. */
import type { ForwardToEntry } from "@kauke/contract";
import { asciiDomainOf } from "@kauke/mail-rfc";
import type { MessageEnvelope } from "../message/message.ts";
import type { MarksToStore } from "../reply-path.ts";

/** A closed set, because a peer's reply text may contain the owner's real address. */
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
  | "domain_paused"
  | "not_confirmed"
  | "not_wanted"
  | "not_sealed"
  | "expired"
  | "dropped"
  | "spool_lost"
  | "at_provider"
  | "provider_silent"
  | "provider_unreachable"
  | "provider_closed"
  | "provider_busy"
  | "provider_refused"
  | "engine_needed";

/** Failures of a connection before its first message; also label values of a metric. */
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

/**
 * A wait until `notBefore` that is no failure: for leave to send, for the provider to deliver what it has, or, until the
 * retry schedule ends, for a start of the server with its own engine.
 */
export type Uncounted = "for_leave" | "handed_over" | "for_engine";

/** Milliseconds between two looks whether mail that needs our own engine can go out. */
export const ENGINE_WAIT_MS = 900_000;

export type DeliveryOutcome =
  | { kind: "taken" }
  /** `isUntried`: not attempted, because the destination is at its concurrency limit; next one at `notBefore`. */
  | { kind: "deferred"; failure: DeliveryFailure; isUntried?: true; notBefore?: Date; uncounted?: Uncounted }
  | { kind: "refused"; failure: DeliveryFailure };

export interface DeliveryTarget {
  /**
   * Absent: forwarded mail, rewritten at each attempt. `send`: mail that leaves as the alias, stored in its final form.
   * `report`: our report, with the null sender. `confirm`: a confirmation request. `account`: to the account itself.
   * `probe`: our answer to mail at the address of a probe.
   */
  purpose?: "send" | "report" | "confirm" | "account" | "probe";
  destination: ForwardToEntry;
  aliasAddress: string;
  /** Authenticated sender to notify if no destination of the alias accepts the message. */
  reportTo?: string;
  isOneOfSeveral?: true;
}

export interface Delivery {
  id: string;
  messageId: string;
  /** Owner of the delivery; `null` for own and operator mail, and for a deleted alias. */
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
  /** Network block from which the account was registered, as an opaque text; absent when unknown. */
  registeredFrom?: string;
  /** Maximum retries of composed mail; for other mail the retry schedule decides. */
  maxRetries?: number;
  /** The operator took it out of the queue: it fails for good without another attempt. */
  isDropped?: true;
  /** Why the last attempt did not end it; absent before the first. */
  lastFailure?: DeliveryFailure;
}

export interface OpenDelivery extends Delivery {
  notBefore: Date;
  lease: { token: string; until: Date } | null;
  lastFailure: DeliveryFailure | null;
  /** Within an account, higher priorities are claimed first; default 0. */
  priority?: number;
  /** Of composed mail: the recipient's place among those of the message. */
  jobPlace?: number;
}

export interface PutBack {
  id: string;
  leaseToken: string;
  notBefore: Date;
}

/** @returns the mailbox's domain or the webhook's host, lower case, e.g. `example.org` */
export function destinationName(destination: ForwardToEntry): string {
  if (destination.kind === "webhook") return URL.canParse(destination.url) ? new URL(destination.url).hostname : "";
  return asciiDomainOf(destination.address);
}

/** Written by the server itself (about accounts, mailboxes or deliveries); a part of the queue is reserved for it. */
export function isOwnMail({ purpose }: DeliveryTarget): boolean {
  return purpose !== undefined && purpose !== "send";
}

export interface ClaimOptions {
  now: Date;
  leaseMs: number;
  limit: number;
  /** Maximum deliveries of own mail, in addition to `limit`; default: `limit`. */
  ownLimit?: number;
  perAccount?: number;
  /** Accounts at their concurrency limit: only own mail to them is claimed. */
  full?: readonly string[];
  /** Attempts in progress per account; accounts with fewer come first. */
  running?: ReadonlyMap<string, number>;
}

/** A delivery whose sealed data this version can't decrypt or parse. */
export interface UnreadableDelivery extends Omit<Delivery, "target" | "createdAt"> {
  leaseToken: string;
  maxRetries?: number;
}

export interface Claimed {
  deliveries: LeasedDelivery[];
  unreadable: UnreadableDelivery[];
  isMore: boolean;
  /** Whether another claim might return more deliveries. */
  isCutShort: boolean;
}

/** Spool bytes that a delivery counts: its row with indexes, and the minimum size of a file. */
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

/** With a lost lease, methods change nothing and say so. A composed mail's `email_job` changes in the same commit. */
export interface DeliveryStore {
  /** One commit; the body must already be stored. @throws AppError `busy` when a mark that may not repeat is known */
  enqueue(message: MessageToEnqueue, deliveries: readonly OpenDelivery[], marks?: MarksToStore): Promise<void>;
  /** Stores mail to postmaster@ or abuse@. @throws AppError `spool_quota` if the new message itself would be evicted */
  keepForOperator(message: MessageToEnqueue, address: string): Promise<void>;
  countKeptForOperator(): Promise<number>;
  /** Leases due deliveries, in turn between accounts, then by priority and age. Skips rows that others have locked. */
  claim(options: ClaimOptions): Promise<Claimed>;
  extendLease(id: string, leaseToken: string, until: Date): Promise<boolean>;
  /** Ends a delivery; the last one deletes its message. @param failure `null` when the message was accepted */
  finish(id: string, leaseToken: string, failure: DeliveryFailure | null): Promise<Finished>;
  /** @returns false, changing nothing, when the lease was lost */
  defer(id: string, leaseToken: string, next: { notBefore: Date; failure: DeliveryFailure }): Promise<boolean>;
  /** As `defer`, without counting an attempt. Composed mail that is handed over can't be cancelled any more. */
  wait(
    id: string,
    leaseToken: string,
    next: { notBefore: Date; failure: DeliveryFailure; uncounted: Uncounted },
  ): Promise<boolean>;
  putBack(deliveries: readonly PutBack[]): Promise<void>;
  /**
   * Makes waiting deliveries due now and does not count the attempt that deferred them; skips leased ones.
   * @returns number of deliveries that were not due yet
   */
  hasten(ids: readonly string[], now: Date): Promise<number>;
  /** When a delivery is due or a lease expires; `null` when the queue is empty. */
  nextDueAt(): Promise<Date | null>;
  countForAlias(aliasId: string): Promise<number>;
  /** Bytes of undelivered mail: each message once, plus `SPOOL_ROW_BYTES` per open delivery, all of which it reads. */
  spoolBytes(owner: "account" | "alias", id: string): Promise<number>;
  count(): Promise<number>;
  isKnownMessage(messageId: string): Promise<boolean>;
  releaseLeases(): Promise<number>;
  /** Calls the listener when any process enqueues a delivery. `dueAt`: `null` means now. */
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
  domain_paused: "the records of the alias' domain are not right",
  webhook_gone:
    "it answered that it is gone for good (410). It is paused until you save where the alias forwards again",
  not_confirmed: "it is not confirmed yet, and takes little mail until then",
  not_wanted: "whoever reads it says that it is not yours",
  not_sealed: "it could not be encrypted to your key",
  dropped: "the operator of this server took it out of the queue",
  expired: "it did not take the message in the time allowed",
  spool_lost: "it could not be read back from our store",
  at_provider: "the provider that sends our mail has it, and has not delivered it yet",
  provider_silent: "the provider that sends our mail did not respond",
  provider_unreachable: "the provider that sends our mail could not be reached",
  provider_closed: "the provider that sends our mail did not let us send",
  provider_busy: "the provider that sends our mail takes no more for now",
  provider_refused: "the provider that sends our mail did not take it",
  engine_needed:
    "it was accepted before a provider began to forward in this server's place, and only the server itself can send it",
};

export interface InFlightMessage {
  message: MessageToEnqueue;
  delivery: OpenDelivery;
  wire: Buffer;
}

export interface InFlightMessages {
  /** Resolves when the message is on stable storage. @throws AppError `spool_failed` */
  store(inFlight: InFlightMessage): Promise<void>;
  /** Deletes the file of a message that has nothing left to retry. */
  forget(messageId: string): Promise<void>;
  /**
   * Enqueues a message after its failed attempt. @param inFlight `wire`: `null` reads the bytes back from the file
   * @returns false if the alias or account is gone @throws AppError `spool_failed`; the file then stays
   */
  moveToQueue(inFlight: Omit<InFlightMessage, "wire"> & { wire: Buffer | null }): Promise<boolean>;
}

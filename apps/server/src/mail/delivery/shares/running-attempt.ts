/**
 * A running delivery attempt: measures how long it is at its destination, as the limits of `running-attempts.ts` need,
 * and passes on what the transport notices.
 */

import type { Destination } from "@kauke/contract";
import { asciiDomainOf } from "@kauke/mail-rfc";
import { type DeliveryTarget, isOwnMail } from "../../../core/delivery/delivery.ts";
import { clientNetwork } from "../../../limits/party.ts";
import { bounds } from "../../../limits/table.ts";
import type { OngoingAttempt } from "../../transport/transport.ts";

export interface AttemptParties {
  /** Account that the mail belongs to; `null` for mail to the operator. */
  account: string | null;
  /** Block of addresses that the account was registered from; absent when that is unknown. */
  registeredFrom?: string | undefined;
  /** Whether the mail is the server's own: it has places of its own, and always room. */
  isOwnMail?: boolean;
  /** Domain of the mailbox, or host of the webhook, in lower case. */
  destination: string;
  sizeBytes: number;
}

interface Counted {
  userId: string | null;
  registeredFrom?: string | undefined;
  target: DeliveryTarget;
  sizeBytes: number;
}

/** What decides about an attempt. */
export interface AttemptRegistry {
  now(): number;
  /** @returns false when the address has its maximum of attempts */
  reachPeer(attempt: RunningAttempt, network: string): boolean;
  /** @returns false when the provider has its maximum of attempts */
  reachProvider(attempt: RunningAttempt, name: string): boolean;
}

/** Parties of an attempt at a delivery. */
export function partiesOfDelivery({ userId: account, registeredFrom, target, sizeBytes }: Counted): AttemptParties {
  const destination = destinationName(target.destination);
  return { account, registeredFrom, destination, isOwnMail: isOwnMail(target), sizeBytes };
}

/** Party for which the places of an attempt are counted: the account, apart for the server's own mail to it. */
export function partyOf({ account, destination, isOwnMail = false }: Omit<AttemptParties, "sizeBytes">): string {
  const party = account === null || account === "" ? destination : account;
  return isOwnMail ? `own mail, ${party}` : party;
}

export class RunningAttempt implements OngoingAttempt, AttemptView {
  readonly account: string;
  readonly destination: string;
  readonly isOwnMail: boolean;
  readonly network: string;
  readonly deadlineMs: number;
  peer: string | null = null;
  /** Organisation that runs the mail host in use; `null` when not known yet. */
  provider: string | null = null;
  /** Milliseconds for which a busy provider gets no mail of the account, if the attempt sent nothing for that reason; otherwise 0. */
  pausedMs = 0;
  isSent = false;
  /** Whether the system has all bytes of the message, so that they need no memory. */
  isPassedOn = false;
  /** Called when the message is sent to a host and only its reply is outstanding. */
  onSent: (() => void) | null = null;
  /** Whether the time at the destination was so long that this counts against the destination. */
  isSlow = false;
  /** Like `isSlow`, for the time at `peer` only. */
  isPeerSlow = false;
  isPostponed = false;
  readonly #registry: AttemptRegistry;
  readonly #startedAt: number;
  readonly #stop = new AbortController();
  #waitingSince: number | null = null;
  #waitedMs = 0;
  #activeMsBeforePeer = 0;

  constructor(registry: AttemptRegistry, parties: AttemptParties) {
    const { account, registeredFrom, destination, isOwnMail = false, sizeBytes } = parties;
    this.#registry = registry;
    this.#startedAt = registry.now();
    this.account = account ?? "";
    this.isOwnMail = isOwnMail;
    this.network = registeredFrom === undefined ? this.party : `${isOwnMail ? "own mail, " : ""}from ${registeredFrom}`;
    this.destination = destination;
    this.deadlineMs = bounds.attempt.deadlineMs + (sizeBytes / bounds.attempt.speedBytes) * 1000;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get party(): string {
    return partyOf(this);
  }

  get totalMs(): number {
    return this.#registry.now() - this.#startedAt;
  }

  get activeMs(): number {
    const waiting = this.#waitingSince === null ? 0 : this.#registry.now() - this.#waitingSince;
    return this.totalMs - this.#waitedMs - waiting;
  }

  /** The part of `activeMs` since the attempt connected to `peer`. */
  get activeAtPeerMs(): number {
    return this.activeMs - this.#activeMsBeforePeer;
  }

  /** Called when a peer is reached. Time spent before, e.g. on DNS or other hosts, does not count against it. */
  moveTo(peer: string): void {
    this.peer = peer;
    this.isPeerSlow = false;
    this.#activeMsBeforePeer = this.activeMs;
  }

  reachPeer(address: string): boolean {
    // One host can easily have a whole IPv6 /64, as another has one IPv4 address.
    if (!this.#registry.reachPeer(this, clientNetwork(address))) return false;
    this.isSent = false;
    this.isPassedOn = false;
    return true;
  }

  reachProvider(name: string): boolean {
    return this.#registry.reachProvider(this, name);
  }

  wait(isWaiting: boolean): void {
    if (isWaiting) this.#waitingSince ??= this.#registry.now();
    else if (this.#waitingSince !== null) {
      this.#waitedMs += this.#registry.now() - this.#waitingSince;
      this.#waitingSince = null;
    }
  }

  sendEnd(isPassedOn: boolean): void {
    if (this.isSent) return;
    this.isPassedOn = isPassedOn;
    this.isSent = true;
    this.onSent?.();
  }

  get isWaiting(): boolean {
    return this.#waitingSince !== null;
  }

  /** Stops an attempt that still waits for a connection, since its slow destination has its maximum without it. */
  postpone(): void {
    this.isPostponed = true;
    this.stop();
  }

  /** Stops the attempt at once; its outcome is deferred. */
  stop(): void {
    this.#stop.abort();
  }
}

/** @returns the mailbox's domain or the webhook's host, lower case, e.g. `example.org` */
export function destinationName(destination: Destination): string {
  if (destination.kind === "webhook") return URL.canParse(destination.url) ? new URL(destination.url).hostname : "";
  return asciiDomainOf(destination.address);
}

/**
 * Selects running delivery attempts to stop, so that no account and no destination uses up the connections: every
 * attempt past its deadline, and of the slow attempts and of those waiting for their reply as many as exceed a share.
 * An account's only attempt at a destination never exceeds the destination's share, which others may have used up. Pure.
 */

export interface AttemptView {
  account: string;
  /** Domain of the mailbox, or host of the webhook. */
  destination: string;
  /** IP address connected to; `null` before the connection. */
  peer: string | null;
  /** Milliseconds spent at the destination; time in our own queues does not count. */
  activeMs: number;
  /** The part of `activeMs` since the attempt connected to `peer`. */
  activeAtPeerMs: number;
  /** Milliseconds since the attempt began, including time in our own queues. */
  totalMs: number;
  /** Milliseconds that the attempt may spend at the destination before the message is sent. */
  deadlineMs: number;
  /** Whether the final dot was sent: the destination may have the message, and another attempt deliver it twice. */
  isSent: boolean;
}

export interface AttemptShares {
  all: number;
  account: number;
  destination: number;
}

export interface AttemptLimits {
  /** Milliseconds at the destination after which an attempt counts as slow while its message is not sent. */
  slowAfterMs: number;
  /** Milliseconds after which a sent message without a reply counts as slow. */
  slowAnswerMs: number;
  slow: AttemptShares;
  /** Shares of attempts whose message is sent and that wait for the reply. Destinations have none of these. */
  sent: Omit<AttemptShares, "destination">;
  /** Maximum milliseconds until the message is sent, including time in our own queues. */
  totalMs: number;
}

export function attemptsToEnd<T extends AttemptView>(attempts: readonly T[], limits: AttemptLimits): T[] {
  const { slowAfterMs } = limits;
  const overdue = attempts.filter((it) => isOverdue(it, limits));
  const slow = attempts.filter((it) => !it.isSent && it.activeMs > slowAfterMs && !isOverdue(it, limits));
  const sent = attempts.filter((it) => it.isSent);
  return [
    ...overdue,
    ...beyondShares(slow, { shares: limits.slow, slowAfterMs }),
    ...beyondShares(sent, { shares: limits.sent, slowAfterMs }),
  ];
}

function isOverdue({ isSent, activeMs, totalMs, deadlineMs }: AttemptView, limits: AttemptLimits): boolean {
  return !isSent && (activeMs > deadlineMs || totalMs > limits.totalMs);
}

interface Bounds {
  shares: Omit<AttemptShares, "destination"> & { destination?: number };
  slowAfterMs: number;
}

/**
 * Selects the newest attempts of each party over its share, of destinations those of accounts that have others there;
 * over the total, the oldest of the largest party.
 */
function beyondShares<T extends AttemptView>(attempts: readonly T[], { shares, slowAfterMs }: Bounds): readonly T[] {
  const partiesOf = (attempt: AttemptView) => partiesToCharge(attempt, slowAfterMs);
  const pairs = new Set<string>();
  const counts = new Map<string, number>();
  const isFull = ({ key, kind }: Party, account: string) => {
    const count = counts.get(key) ?? 0;
    const share = shares[kind];
    if (share === undefined || (kind === "destination" && !pairs.has(`${key} ${account}`))) return false;
    return count >= share;
  };
  const over: T[] = [];
  const within: T[] = [];
  for (const attempt of firstOfAccounts(attempts, partiesOf)) {
    const parties = partiesOf(attempt);
    if (parties.some((it) => isFull(it, attempt.account))) {
      over.push(attempt);
      continue;
    }
    within.push(attempt);
    for (const { key } of parties) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      pairs.add(`${key} ${attempt.account}`);
    }
  }
  const tooMany = within.length - shares.all;
  const sizeOf = (key: string) => counts.get(key) ?? 0;
  const ending =
    tooMany > 0 ? largestPartyFirst(within, (attempt) => partySize(partiesOf(attempt), sizeOf)).slice(0, tooMany) : [];
  return [...over, ...ending];
}

/** Sorts by age, but before the others come those that are the oldest of their account at all their destinations. */
function firstOfAccounts<T extends AttemptView>(attempts: readonly T[], partiesOf: (attempt: T) => Party[]): T[] {
  const seen = new Set<string>();
  const [firsts, others]: [T[], T[]] = [[], []];
  for (const attempt of attempts.toSorted((a, b) => b.activeMs - a.activeMs)) {
    const destinations = partiesOf(attempt).filter(({ kind }) => kind === "destination");
    const pairs = destinations.map(({ key }) => `${key} ${attempt.account}`);
    (pairs.some((it) => seen.has(it)) ? others : firsts).push(attempt);
    for (const pair of pairs) seen.add(pair);
  }
  return [...firsts, ...others];
}

/** Sorts by the size of the attempt's largest party, and by age among equals. */
function largestPartyFirst<T extends AttemptView>(within: readonly T[], partySize: (attempt: T) => number): T[] {
  return within
    .map((attempt) => ({ attempt, partySize: partySize(attempt) }))
    .sort((a, b) => b.partySize - a.partySize || b.attempt.activeMs - a.attempt.activeMs)
    .map(({ attempt }) => attempt);
}

interface Party {
  key: string;
  kind: "account" | "destination";
}

/** Number of attempts of the party that has the most. */
const partySize = (parties: readonly Party[], sizeOf: (key: string) => number): number =>
  Math.max(...parties.map(({ key }) => sizeOf(key)));

/**
 * Parties that an attempt counts against: always the destination, and the account if there is one; the IP address it is
 * connected to only if it was slow at that address, or its message is sent.
 */
function partiesToCharge(attempt: AttemptView, slowAfterMs: number): Party[] {
  const { account, destination, activeAtPeerMs, isSent } = attempt;
  const peer = isSent || activeAtPeerMs > slowAfterMs ? attempt.peer : null;
  const parties: Party[] = [{ key: `to ${destination}`, kind: "destination" }];
  if (account !== "") parties.push({ key: `of ${account}`, kind: "account" });
  if (peer !== null) parties.push({ key: `at ${peer}`, kind: "destination" });
  return parties;
}

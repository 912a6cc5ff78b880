/**
 * A running delivery attempt: measures how long it is at its destination, as the limits of `running-attempts.ts` need,
 * and passes on what the transport notices.
 */

import type { ForwardToEntry } from "@kauke/contract";
import { asciiDomainOf } from "@kauke/mail-rfc";
import { type Delivery, isOwnMail } from "../../../core/delivery/delivery.ts";
import { clientNetwork } from "../../../limits/party.ts";
import { bounds } from "../../../limits/table.ts";
import { Counts } from "../../../runtime/maps.ts";
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

interface Counted extends Pick<Delivery, "userId" | "target"> {
  registeredFrom?: string | undefined;
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

export class RunningAttempt implements OngoingAttempt {
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
  /** Whether the time at the destination was so long that this counts against the destination. */
  isSlow = false;
  /** Like `isSlow`, for the time at `peer` only. */
  isPeerSlow = false;
  isPostponed = false;
  readonly #registry: AttemptRegistry;
  readonly #startedAt: number;
  readonly #stop = new AbortController();
  readonly #onSent: (() => void)[] = [];
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
    for (const listener of this.#onSent) listener();
  }

  /** @param listener called when the message is sent to a host, and only its reply is outstanding */
  onSent(listener: () => void): void {
    this.#onSent.push(listener);
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
export function destinationName(destination: ForwardToEntry): string {
  if (destination.kind === "webhook") return URL.canParse(destination.url) ? new URL(destination.url).hostname : "";
  return asciiDomainOf(destination.address);
}

interface AttemptShares {
  all: number;
  account: number;
  destination?: number;
}

export interface AttemptLimits {
  /** Milliseconds at the destination after which an attempt counts as slow while its message is not sent. */
  slowAfterMs: number;
  /** Milliseconds after which a sent message without a reply counts as slow. */
  slowAnswerMs: number;
  slow: AttemptShares;
  /** Shares of attempts whose message is sent and that wait for the reply. Destinations have none of these. */
  sent: AttemptShares;
  /** Maximum milliseconds until the message is sent, including time in our own queues. */
  totalMs: number;
}

/**
 * Selects attempts to stop, so that no account and no destination uses up the connections: every attempt past its
 * deadline, and of the slow ones and of those waiting for their reply as many as exceed a share. Pure.
 */
export function attemptsToEnd(attempts: readonly RunningAttempt[], limits: AttemptLimits): RunningAttempt[] {
  const { slowAfterMs } = limits;
  const isOverdue = ({ activeMs, totalMs, deadlineMs }: RunningAttempt) =>
    activeMs > deadlineMs || totalMs > limits.totalMs;
  const {
    sent = [],
    slow = [],
    overdue = [],
  } = Object.groupBy(attempts, (attempt) => {
    if (attempt.isSent) return "sent";
    if (isOverdue(attempt)) return "overdue";
    return attempt.activeMs > slowAfterMs ? "slow" : "quick";
  });
  const chargedTo = (attempt: RunningAttempt) => chargeOf(attempt, slowAfterMs);
  return [
    ...overdue,
    ...beyondShares(slow.map(chargedTo), limits.slow),
    ...beyondShares(sent.map(chargedTo), limits.sent),
  ];
}

interface Charge {
  attempt: RunningAttempt;
  ageMs: number;
  /** Destination, and IP address, whose shares the attempt counts against. */
  places: string[];
  /** The same together with the account. */
  pairs: string[];
  /** All keys that the attempt counts against, the account's included. */
  parties: string[];
}

/** An attempt counts against the IP address it is connected to only if it was slow there, or its message is sent. */
function chargeOf(attempt: RunningAttempt, slowAfterMs: number): Charge {
  const { account, destination, peer, activeMs: ageMs, activeAtPeerMs, isSent } = attempt;
  const isAtPeer = peer !== null && (isSent || activeAtPeerMs > slowAfterMs);
  const places = [`to ${destination}`, ...(isAtPeer ? [`at ${peer}`] : [])];
  const parties = [...places, ...(account === "" ? [] : [`of ${account}`])];
  return { attempt, ageMs, places, pairs: places.map((place) => `${place} ${account}`), parties };
}

/**
 * Selects the newest attempts of each party over its share, of destinations those of accounts that have others there:
 * an account's only attempt never exceeds the destination's share, which others may have used up. Over the total, the
 * oldest of the largest party.
 */
function beyondShares(charges: readonly Charge[], shares: AttemptShares): RunningAttempt[] {
  const counts = new Counts();
  const isOver = ({ attempt, places, pairs }: Charge) =>
    (attempt.account !== "" && counts.of(`of ${attempt.account}`) >= shares.account) ||
    places.some(
      (place, index) =>
        counts.of(place) >= (shares.destination ?? Number.POSITIVE_INFINITY) && counts.of(pairs[index] ?? "") > 0,
    );
  const over: Charge[] = [];
  const within: Charge[] = [];
  for (const charge of firstOfAccounts(charges)) {
    const isWithin = !isOver(charge);
    (isWithin ? within : over).push(charge);
    if (isWithin) for (const key of [...charge.parties, ...charge.pairs]) counts.add(key, 1);
  }
  const sizeOf = ({ parties }: Charge) => Math.max(...parties.map((key) => counts.of(key)));
  const largestFirst = within.toSorted((a, b) => sizeOf(b) - sizeOf(a) || b.ageMs - a.ageMs);
  const tooMany = Math.max(0, within.length - shares.all);
  return [...over, ...largestFirst.slice(0, tooMany)].map(({ attempt }) => attempt);
}

/** Sorts by age, but before the others come those that are the oldest of their account at all their destinations. */
function firstOfAccounts(charges: readonly Charge[]): Charge[] {
  const seen = new Set<string>();
  const [firsts, others]: [Charge[], Charge[]] = [[], []];
  for (const charge of charges.toSorted((a, b) => b.ageMs - a.ageMs)) {
    (charge.pairs.some((pair) => seen.has(pair)) ? others : firsts).push(charge);
    for (const pair of charge.pairs) seen.add(pair);
  }
  return [...firsts, ...others];
}

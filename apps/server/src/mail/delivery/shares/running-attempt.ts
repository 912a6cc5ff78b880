/** A delivery attempt: measures its time at the destination, for the limits of `running-attempts.ts`. */

import { type Delivery, destinationName, isOwnMail } from "../../../core/delivery/delivery.ts";
import { clientNetwork } from "../../../limits/party.ts";
import { bounds } from "../../../limits/table.ts";
import { Counts } from "../../../runtime/maps.ts";
import type { OngoingAttempt } from "../../transport/transport.ts";

export interface AttemptParties {
  /** `null` for mail to the operator. */
  account: string | null;
  /** Network block from which the account was registered; absent when unknown. */
  registeredFrom?: string | undefined;
  /** The server's own mail has places of its own, and always room. */
  isOwnMail?: boolean;
  /** Domain of the mailbox or host of the webhook, in lower case. */
  destination: string;
  sizeBytes: number;
}

interface Counted extends Pick<Delivery, "userId" | "target"> {
  registeredFrom?: string | undefined;
  sizeBytes: number;
}

export interface AttemptRegistry {
  now(): number;
  /** @returns false when the address has its maximum of attempts */
  reachPeer(attempt: RunningAttempt, network: string): boolean;
  /** @returns false when the provider has its maximum of attempts */
  reachProvider(attempt: RunningAttempt, name: string): boolean;
}

export function partiesOfDelivery({ userId: account, registeredFrom, target, sizeBytes }: Counted): AttemptParties {
  const destination = destinationName(target.destination);
  return { account, registeredFrom, destination, isOwnMail: isOwnMail(target), sizeBytes };
}

/** The account, with a party of its own for the server's own mail to it. */
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
  /** Organisation of the mail host in use; `null` while unknown. */
  provider: string | null = null;
  /** Milliseconds for which a busy provider gets no mail of the account, if nothing was sent for that reason. */
  pausedMs = 0;
  isSent = false;
  /** The socket has taken all bytes of the message, so that the attempt holds no memory any more. */
  isPassedOn = false;
  /** Whether the attempt was at the destination for so long that this counts against the destination. */
  isSlow = false;
  /** As `isSlow`, for the time at `peer` only. */
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

  /** Part of `activeMs` since the connection to `peer`. */
  get activeAtPeerMs(): number {
    return this.activeMs - this.#activeMsBeforePeer;
  }

  /** Time before a peer is reached, e.g. for DNS or other hosts, does not count against it. */
  moveTo(peer: string): void {
    this.peer = peer;
    this.isPeerSlow = false;
    this.#activeMsBeforePeer = this.activeMs;
  }

  reachPeer(address: string): boolean {
    // A host may have a whole IPv6 /64, as another has one IPv4 address.
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

  /** @param listener called when only the host's reply is outstanding */
  onSent(listener: () => void): void {
    this.#onSent.push(listener);
  }

  get isWaiting(): boolean {
    return this.#waitingSince !== null;
  }

  /** Stops an attempt that waits for a connection to a slow destination at its maximum. */
  postpone(): void {
    this.isPostponed = true;
    this.stop();
  }

  /** The outcome of a stopped attempt is deferred. */
  stop(): void {
    this.#stop.abort();
  }
}

interface AttemptShares {
  all: number;
  account: number;
  destination?: number;
}

export interface AttemptLimits {
  /** Milliseconds at the destination after which an unsent message makes the attempt slow. */
  slowAfterMs: number;
  /** Milliseconds without a reply after which a sent message counts as slow. */
  slowAnswerMs: number;
  slow: AttemptShares;
  /** Shares of attempts that wait for the reply to a sent message; not applied to destinations. */
  sent: AttemptShares;
  /** Maximum milliseconds until the message is sent, including time in our own queues. */
  totalMs: number;
}

/** Selects overdue attempts, and slow or waiting ones above a share, so that nobody uses up the connections. Pure. */
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
  /** Destination and IP address that the attempt counts against. */
  places: string[];
  pairs: string[];
  parties: string[];
}

/** Counts against the connected IP address only if the attempt was slow there, or its message is sent. */
function chargeOf(attempt: RunningAttempt, slowAfterMs: number): Charge {
  const { account, destination, peer, activeMs: ageMs, activeAtPeerMs, isSent } = attempt;
  const isAtPeer = peer !== null && (isSent || activeAtPeerMs > slowAfterMs);
  const places = [`to ${destination}`, ...(isAtPeer ? [`at ${peer}`] : [])];
  const parties = [...places, ...(account === "" ? [] : [`of ${account}`])];
  return { attempt, ageMs, places, pairs: places.map((place) => `${place} ${account}`), parties };
}

/** Selects the newest above a share, but never an account's only one at a destination; above the total, the oldest. */
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

/** Attempts that are their account's oldest at each of their destinations, then the others; both oldest first. */
function firstOfAccounts(charges: readonly Charge[]): Charge[] {
  const seen = new Set<string>();
  const [firsts, others]: [Charge[], Charge[]] = [[], []];
  for (const charge of charges.toSorted((a, b) => b.ageMs - a.ageMs)) {
    (charge.pairs.some((pair) => seen.has(pair)) ? others : firsts).push(charge);
    for (const pair of charge.pairs) seen.add(pair);
  }
  return [...firsts, ...others];
}

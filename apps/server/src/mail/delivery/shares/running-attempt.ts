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
import type { AttemptView } from "./attempts-to-end.ts";

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

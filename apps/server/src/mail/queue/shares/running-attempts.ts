/**
 * All running attempts of this process: first attempts of the MX and those of the delivery worker. Measures how long
 * each is at its destination, starts none at a slow or busy destination that has its maximum, and stops those that are
 * overdue or over a share. Limits, and what is known of slow and busy destinations, are shared by all workers.
 */

import { BoundedMap } from "../../../core/bounded-map.ts";
import { clientNetwork } from "../../../core/connection/client-network.ts";
import type { DeliveryOutcome } from "../../../core/delivery/delivery.ts";
import { ShortLivedSet } from "../../../core/short-lived.ts";
import type { SharedCounts } from "../../../core/worker-shares/shared-counts.ts";
import { onlyWorker, type WorkerShares } from "../../../core/worker-shares/worker-shares.ts";
import { untried } from "../../classify-reply.ts";
import { MIN_BYTES_PER_SECOND } from "../../transport/smtp-client/smtp-connection.ts";
import type { AttemptSignal } from "../../transport/transport.ts";
import { AttemptRoom } from "./attempt-room.ts";
import {
  type AttemptLimits,
  type AttemptView,
  accountOf,
  attemptsToEnd,
  type CountedAttempts,
} from "./attempts-to-end.ts";
import { BusyDestinations } from "./busy-destinations.ts";
import { SlowDestinations } from "./slow-destinations.ts";

export interface AttemptParties {
  /** Account that the mail belongs to; `null` for mail to the operator. */
  account: string | null;
  /** Domain of the mailbox, or host of the webhook, in lower case. */
  destination: string;
  sizeBytes: number;
}

/**
 * Milliseconds an attempt may take to connect, greet and send the envelope at all hosts of a destination; time for the
 * body is added. It is as long as three commands may take (RFC 5321 §4.5.3.2); the shares limit slow attempts long
 * before.
 */
const DEADLINE_MS = 15 * 60_000;
const SWEEP_MS = 1000;
const PROVIDERS_MAX = 10_000;

/** Limits with a relay: most attempts share its few connections, and half of these stay free for quick attempts. */
export const relayLimits: AttemptLimits = {
  slowAfterMs: 10_000,
  slowAnswerMs: 60_000,
  slow: { all: 10, account: 4, destination: 4 },
  sent: { all: 1000, account: 100, destination: 100 },
  totalMs: 1_800_000,
};

export const directLimits: AttemptLimits = {
  ...relayLimits,
  slow: { all: 256, account: 16, destination: 8 },
};

export class Attempt implements AttemptSignal, AttemptView {
  readonly account: string;
  readonly destination: string;
  readonly deadlineMs: number;
  peer: string | null = null;
  /** Organisation that runs the mail host in use; `null` when not known yet. */
  provider: string | null = null;
  /** Milliseconds for which a busy provider gets no mail, if the attempt sent nothing for that reason; otherwise 0. */
  pausedMs = 0;
  isSent = false;
  aborted = false;
  /** Called once when the message is sent and only its reply is outstanding. */
  onSent: (() => void) | null = null;
  isMailboxMissing = false;
  /** Whether the time at the destination was so long that this counts against the destination. */
  isSlow = false;
  /** Like `isSlow`, for the time at `peer` only. */
  isPeerSlow = false;
  isPostponed = false;
  readonly #registry: RunningAttempts;
  readonly #startedAt: number;
  readonly #listeners = new Set<() => void>();
  #waitingSince: number | null = null;
  #waitedMs = 0;
  #activeMsBeforePeer = 0;

  constructor(registry: RunningAttempts, { account, destination, sizeBytes }: AttemptParties) {
    this.#registry = registry;
    this.#startedAt = registry.now();
    this.account = account ?? "";
    this.destination = destination;
    this.deadlineMs = DEADLINE_MS + (sizeBytes / MIN_BYTES_PER_SECOND) * 1000;
  }

  get party(): string {
    return this.account === "" ? this.destination : this.account;
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

  addEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.delete(listener);
  }

  reachPeer(address: string): boolean {
    // One host can easily have a whole IPv6 /64, as another has one IPv4 address.
    if (!this.#registry.reachPeer(this, clientNetwork(address))) return false;
    this.isSent = false;
    return true;
  }

  reachProvider(name: string): boolean {
    return this.#registry.reachProvider(this, name);
  }

  noteBusy(): void {
    this.#registry.noteBusy(this);
  }

  wait(isWaiting: boolean): void {
    if (isWaiting) this.#waitingSince ??= this.#registry.now();
    else if (this.#waitingSince !== null) {
      this.#waitedMs += this.#registry.now() - this.#waitingSince;
      this.#waitingSince = null;
    }
  }

  sendEnd(): void {
    if (this.isSent) return;
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
    if (this.aborted) return;
    this.aborted = true;
    for (const listener of Array.from(this.#listeners)) listener();
  }
}

export class RunningAttempts {
  readonly #limits: AttemptLimits;
  readonly now: () => number;
  readonly #running = new ShortLivedSet<Attempt>();
  readonly #slow: SlowDestinations;
  readonly #busy: BusyDestinations;
  readonly #room: AttemptRoom;
  /** Number of attempts by destination, IP address and provider. */
  readonly #counts: SharedCounts;
  readonly #counted: CountedAttempts;
  /** Organisation that ran a domain's mail hosts when they were last used. */
  readonly #providers = new BoundedMap<string, string>(PROVIDERS_MAX);
  #timer: NodeJS.Timeout | null = null;

  constructor(limits: AttemptLimits, now: () => number = () => performance.now(), shares: WorkerShares = onlyWorker) {
    this.#limits = limits;
    this.now = now;
    this.#room = new AttemptRoom(undefined, shares);
    this.#counts = shares.counts("attempts at destinations");
    this.#counted = { slow: shares.counts("slow attempts"), sent: shares.counts("sent attempts") };
    // Other workers need the counts only of destinations that are limited now.
    this.#counts.withhold((key) => this.#limitOf(key) === Number.POSITIVE_INFINITY);
    const shared = { shares, now, onLimited: (key: string) => this.#counts.publish(key) };
    this.#slow = new SlowDestinations(shared);
    this.#busy = new BusyDestinations(shared);
  }

  get size(): number {
    return this.#running.size;
  }

  /** Whether the account may start another attempt now. */
  hasRoom(account: string | null): boolean {
    return this.#room.hasRoom(account);
  }

  /** Starts an attempt. @returns `null` when its account or its slow or busy destination may not have another now */
  start(parties: AttemptParties): Attempt | null {
    if (!this.hasRoom(parties.account)) return null;
    const attempt = new Attempt(this, parties);
    if (!this.#enter(destinationKey(attempt))) return null;
    this.#running.add(attempt);
    this.#room.enter(attempt.account);
    this.#timer ??= setInterval(() => this.sweep(), SWEEP_MS).unref();
    return attempt;
  }

  /**
   * Ends an attempt.
   * @returns the outcome to store: `untried` for a postponed attempt that was deferred, else `outcome`
   */
  finish(attempt: Attempt, outcome: DeliveryOutcome): DeliveryOutcome {
    this.remove(attempt);
    if (attempt.isPostponed && outcome.kind === "deferred") return untried;
    if (outcome.kind === "taken") for (const key of busyKeys(attempt)) this.#busy.noteTaken(key);
    // A destination that took or refused a message without delay is not slow, or no longer.
    if (!attempt.isSlow && outcome.kind !== "deferred") {
      this.#slow.noteQuick(destinationKey(attempt));
    }
    if (attempt.peer !== null && !attempt.isPeerSlow && outcome.kind !== "deferred")
      this.#slow.noteQuick(addressKey(attempt.peer));
    return outcome;
  }

  /** Ends an attempt without learning anything about its destination. */
  remove(attempt: Attempt): void {
    if (!this.#running.delete(attempt)) return;
    this.#room.leave(attempt.account);
    this.#leave(destinationKey(attempt));
    if (attempt.peer !== null) this.#leave(addressKey(attempt.peer));
    if (attempt.provider !== null) this.#leave(providerKey(attempt.provider));
    if (this.#running.size === 0) this.#rest();
  }

  /** Stops the periodic sweep, because no attempt runs any more. */
  #rest(): void {
    for (const counts of Object.values(this.#counted)) counts.replace(new Map());
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  reachPeer(attempt: Attempt, peer: string): boolean {
    if (!this.#running.has(attempt)) return false;
    if (attempt.peer === peer) return true;
    if (!this.#enter(addressKey(peer))) return false;
    if (attempt.peer !== null) this.#leave(addressKey(attempt.peer));
    attempt.moveTo(peer);
    return true;
  }

  reachProvider(attempt: Attempt, name: string): boolean {
    if (!this.#running.has(attempt)) return false;
    this.#noteProvider(attempt.destination, name);
    // The attempt already counts for this provider, whose previous host deferred it: it may try the next one.
    if (attempt.provider === name) return true;
    if (!this.#enter(providerKey(name))) {
      attempt.pausedMs = Math.max(attempt.pausedMs, this.#busy.pauseLeftMs(providerKey(name), this.now()));
      return false;
    }
    if (attempt.provider !== null) this.#leave(providerKey(attempt.provider));
    attempt.provider = name;
    return true;
  }

  /**
   * @param destination a domain
   * @returns organisation that ran its mail hosts when they were last used, or the domain itself when that is unknown
   */
  providerOf(destination: string): string {
    return this.#providers.get(destination) ?? destination;
  }

  noteBusy(attempt: Attempt): void {
    const { provider } = attempt;
    this.#busy.noteBusy(provider === null ? destinationKey(attempt) : providerKey(provider), this.now());
  }

  /** @returns milliseconds left of the pause after busy replies of a destination; 0 when mail may be sent */
  pauseLeftMs(destination: string): number {
    return this.#busy.pauseLeftMs(destinationKey({ destination }), this.now());
  }

  /** Number of attempts by account that have not sent their message yet. */
  unsentByAccount(): Map<string, number> {
    return this.#countByAccount((it) => !it.isSent);
  }

  /** Accounts that have their maximum of slow attempts: more of their mail need not be claimed. */
  slowAccounts(): string[] {
    const slow = this.#countByAccount((it) => it.isSlow && !it.isSent);
    for (const key of this.#counted.slow.keys()) {
      const account = accountOf(key);
      if (account !== null) slow.set(account, (slow.get(account) ?? 0) + this.#counted.slow.others(key));
    }
    return [...slow].filter(([, count]) => count >= this.#limits.slow.account).map(([account]) => account);
  }

  sweep(): void {
    const attempts = [...this.#running];
    for (const attempt of attempts) this.#noteIfSlow(attempt);
    // Of the attempts waiting for a connection to a slow destination, the newest are postponed first.
    const partOf = this.#partsNow();
    for (const attempt of attempts.toReversed())
      if (attempt.isWaiting && this.#isCrowded(attempt, partOf)) this.#postpone(attempt);
    for (const attempt of attemptsToEnd(attempts, this.#limits, this.#counted)) attempt.stop();
  }

  /**
   * @returns function from a key to the number of attempts this worker may keep, as its part of what all workers have
   */
  #partsNow(): (key: string) => number {
    const now = this.now();
    const parts = new Map<string, number>();
    return (key) => {
      const known = parts.get(key);
      if (known !== undefined) return known;
      const part = this.#counts.part(key, this.#slow.limitOf(key, now));
      parts.set(key, part);
      return part;
    };
  }

  #countByAccount(counts: (attempt: Attempt) => boolean): Map<string, number> {
    const byAccount = new Map<string, number>();
    for (const attempt of this.#running) {
      const { account } = attempt;
      if (account !== "" && counts(attempt)) byAccount.set(account, (byAccount.get(account) ?? 0) + 1);
    }
    return byAccount;
  }

  #noteIfSlow(attempt: Attempt): void {
    const { slowAfterMs, slowAnswerMs } = this.#limits;
    const limitMs = attempt.isSent ? slowAnswerMs : slowAfterMs;
    const now = this.now();
    if (!attempt.isSlow && attempt.activeMs > limitMs) {
      attempt.isSlow = true;
      this.#slow.noteSlow(destinationKey(attempt), now);
    }
    if (attempt.peer !== null && !attempt.isPeerSlow && attempt.activeAtPeerMs > limitMs) {
      attempt.isPeerSlow = true;
      this.#slow.noteSlow(addressKey(attempt.peer), now);
    }
  }

  #isCrowded(attempt: Attempt, partOf: (key: string) => number): boolean {
    const keys = [destinationKey(attempt), ...(attempt.peer === null ? [] : [addressKey(attempt.peer)])];
    return keys.some((key) => this.#counts.own(key) > partOf(key));
  }

  #noteProvider(destination: string, name: string): void {
    if (this.#providers.get(destination) === name) return;
    this.#providers.set(destination, name);
  }

  #postpone(attempt: Attempt): void {
    attempt.postpone();
    this.remove(attempt);
  }

  #enter(key: string): boolean {
    if (this.#counts.all(key) >= this.#limitOf(key)) return false;
    this.#counts.add(key, 1);
    return true;
  }

  #leave(key: string): void {
    this.#counts.add(key, -1);
  }

  /** Maximum concurrent attempts for the key of a destination, address or provider. */
  #limitOf(key: string): number {
    const now = this.now();
    return Math.min(this.#slow.limitOf(key, now), this.#busy.limitOf(key, now));
  }
}

const destinationKey = ({ destination }: Pick<Attempt, "destination">) => `to ${destination}`;
const providerKey = (name: string) => `via ${name}`;
const busyKeys = (attempt: Attempt) => [
  destinationKey(attempt),
  ...(attempt.provider === null ? [] : [providerKey(attempt.provider)]),
];
const addressKey = (peer: string) => `at ${peer}`;

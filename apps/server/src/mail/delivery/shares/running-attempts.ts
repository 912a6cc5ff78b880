/** All attempts of this process. Starts none above a limit at a slow or busy destination, and stops overdue ones. */

import type { DeliveryOutcome } from "../../../core/delivery/delivery.ts";
import { Backoff, busyRule, slowRule } from "../../../limits/backoff.ts";
import { AttemptRoom } from "../../../limits/slots.ts";
import { bounds, partOfAll } from "../../../limits/table.ts";
import { BoundedMap, Counts } from "../../../runtime/maps.ts";
import { untried } from "../../classify-reply.ts";
import {
  type AttemptLimits,
  type AttemptParties,
  type AttemptRegistry,
  attemptsToEnd,
  partyOf,
  RunningAttempt,
} from "./running-attempt.ts";

const SWEEP_MS = 1000;
const PROVIDERS_MAX = 10_000;

const { attempt, slowAttempts, sentAttempts } = bounds;

export const directLimits: AttemptLimits = {
  slowAfterMs: slowAttempts.slowAfterMs,
  slowAnswerMs: slowAttempts.slowReplyMs,
  slow: { all: slowAttempts.all, account: slowAttempts.account, destination: slowAttempts.destination },
  sent: sentAttempts,
  totalMs: attempt.totalMs,
};

/** Half of the few connections to a relay stays free for quick attempts. */
export const relayLimits: AttemptLimits = {
  ...directLimits,
  slow: {
    all: slowAttempts.relayAll,
    account: slowAttempts.relayAccount,
    destination: slowAttempts.relayDestination,
  },
};

export class RunningAttempts implements AttemptRegistry {
  readonly #limits: AttemptLimits;
  readonly now: () => number;
  readonly #running = new Set<RunningAttempt>();
  readonly #slow = new Backoff(slowRule);
  readonly #busy = new Backoff(busyRule);
  readonly #room: AttemptRoom;
  readonly #counts = new Counts();
  /** Organisation that last ran a domain's mail hosts. */
  readonly #providers = new BoundedMap<string, string>(PROVIDERS_MAX);
  #timer: NodeJS.Timeout | undefined;

  /** @param processes number among which the limits are divided */
  constructor(limits: AttemptLimits, now: () => number = () => performance.now(), processes = 1) {
    this.#limits = { ...limits, slow: partOfAll(limits.slow, processes), sent: partOfAll(limits.sent, processes) };
    this.now = now;
    this.#room = new AttemptRoom(partOfAll(bounds.attempts, processes));
  }

  get size(): number {
    return this.#running.size;
  }

  hasRoom(account: string | null): boolean {
    return this.#room.hasRoom(account);
  }

  /** @returns `null` when the account, or its slow or busy destination, may not have another attempt now */
  start(parties: AttemptParties): RunningAttempt | null {
    if (parties.isOwnMail !== true && !this.hasRoom(parties.account)) return null;
    const attempt = new RunningAttempt(this, parties);
    if (!this.#enter(destinationKey(attempt))) return null;
    this.#running.add(attempt);
    this.#room.enter(attempt.account);
    this.#timer ??= setInterval(() => this.sweep(), SWEEP_MS).unref();
    return attempt;
  }

  /** @returns the outcome to store: `untried` for a postponed attempt that was deferred, else `outcome` */
  finish(attempt: RunningAttempt, outcome: DeliveryOutcome): DeliveryOutcome {
    this.remove(attempt);
    if (attempt.isPostponed && outcome.kind === "deferred") return untried;
    if (outcome.kind === "taken") for (const key of busyKeys(attempt)) this.#busy.noteSuccess(key);
    // A destination that took or refused a message without delay is not slow.
    if (outcome.kind === "deferred") return outcome;
    if (!attempt.isSlow) this.#slow.noteSuccess(destinationKey(attempt));
    if (attempt.peer !== null && !attempt.isPeerSlow) this.#slow.noteSuccess(addressKey(attempt, attempt.peer));
    return outcome;
  }

  /** Ends an attempt that shows nothing about its destination. */
  remove(attempt: RunningAttempt): void {
    if (!this.#running.delete(attempt)) return;
    this.#room.leave(attempt.account);
    for (const key of keysOf(attempt)) this.#leave(key);
    if (attempt.provider !== null) this.#leave(providerKey(attempt, attempt.provider));
    if (this.#running.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  reachPeer(attempt: RunningAttempt, peer: string): boolean {
    if (!this.#running.has(attempt)) return false;
    if (attempt.peer === peer) return true;
    if (!this.#enter(addressKey(attempt, peer))) return false;
    if (attempt.peer !== null) this.#leave(addressKey(attempt, attempt.peer));
    attempt.moveTo(peer);
    return true;
  }

  reachProvider(attempt: RunningAttempt, name: string): boolean {
    if (!this.#running.has(attempt)) return false;
    if (this.providerOf(attempt.destination) !== name) this.#providers.set(attempt.destination, name);
    // The attempt already counts for this provider, and may try its next host.
    if (attempt.provider === name) return true;
    const key = providerKey(attempt, name);
    if (!this.#enter(key)) {
      attempt.pausedMs = Math.max(attempt.pausedMs, this.#busy.pauseLeftMs(key, this.now()));
      return false;
    }
    if (attempt.provider !== null) this.#leave(providerKey(attempt, attempt.provider));
    attempt.provider = name;
    return true;
  }

  /** @returns the organisation that last ran the domain's mail hosts; the domain itself when unknown */
  providerOf(destination: string): string {
    return this.#providers.get(destination) ?? destination;
  }

  /** @param provider `null` when unknown: then the destination itself is busy */
  noteBusy(attempt: RunningAttempt, provider: string | null): void {
    this.#busy.note(provider === null ? destinationKey(attempt) : providerKey(attempt, provider), this.now());
  }

  /** @returns milliseconds left of the pause after busy replies to a party's mail */
  pauseLeftMs(parties: AttemptParties): number {
    const { destination } = parties;
    return this.#busy.pauseLeftMs(destinationKey({ destination, party: partyOf(parties) }), this.now());
  }

  unsentByAccount(): Map<string, number> {
    return this.#countByAccount((it) => !it.isSent);
  }

  /** Accounts at their maximum of slow attempts, for which nothing more is claimed. */
  slowAccounts(): string[] {
    const slow = this.#countByAccount((it) => it.isSlow && !it.isSent);
    return [...slow].filter(([, count]) => count >= this.#limits.slow.account).map(([account]) => account);
  }

  sweep(): void {
    const attempts = [...this.#running];
    for (const attempt of attempts) this.#noteIfSlow(attempt);
    // The newest attempts waiting for a connection to a slow destination are postponed first.
    const now = this.now();
    for (const attempt of attempts.toReversed())
      if (attempt.isWaiting && keysOf(attempt).some((key) => this.#counts.of(key) > this.#slow.limitOf(key, now))) {
        attempt.postpone();
        this.remove(attempt);
      }
    for (const attempt of attemptsToEnd(attempts, this.#limits)) attempt.stop();
  }

  #countByAccount(counts: (attempt: RunningAttempt) => boolean): Map<string, number> {
    const counted = [...this.#running].filter((attempt) => attempt.account !== "" && counts(attempt));
    return new Map([...Map.groupBy(counted, ({ account }) => account)].map(([account, own]) => [account, own.length]));
  }

  #noteIfSlow(attempt: RunningAttempt): void {
    const { slowAfterMs, slowAnswerMs } = this.#limits;
    const limitMs = attempt.isSent ? slowAnswerMs : slowAfterMs;
    const now = this.now();
    if (!attempt.isSlow && attempt.activeMs > limitMs) {
      attempt.isSlow = true;
      this.#slow.note(destinationKey(attempt), now);
    }
    if (attempt.peer !== null && !attempt.isPeerSlow && attempt.activeAtPeerMs > limitMs) {
      attempt.isPeerSlow = true;
      this.#slow.note(addressKey(attempt, attempt.peer), now);
    }
  }

  /** @returns false when the party has its maximum at a slow or busy destination, address or provider */
  #enter(key: string): boolean {
    const now = this.now();
    if (this.#counts.of(key) >= Math.min(this.#slow.limitOf(key, now), this.#busy.limitOf(key, now))) return false;
    this.#counts.add(key, 1);
    return true;
  }

  #leave(key: string): void {
    this.#counts.add(key, -1);
  }
}

// Keyed by party, because strangers could make a destination slow or busy for all.
type OfParty = Pick<RunningAttempt, "party">;
const destinationKey = ({ destination, party }: OfParty & Pick<RunningAttempt, "destination">) =>
  `to ${destination} of ${party}`;
const providerKey = ({ party }: OfParty, name: string) => `via ${name} of ${party}`;
const addressKey = ({ party }: OfParty, peer: string) => `at ${peer} of ${party}`;
const busyKeys = (attempt: RunningAttempt) => [
  destinationKey(attempt),
  ...(attempt.provider === null ? [] : [providerKey(attempt, attempt.provider)]),
];
const keysOf = (attempt: RunningAttempt) => [
  destinationKey(attempt),
  ...(attempt.peer === null ? [] : [addressKey(attempt, attempt.peer)]),
];

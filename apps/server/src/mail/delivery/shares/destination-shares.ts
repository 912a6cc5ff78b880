/**
 * Limits the forwarded messages sent to one mailbox or webhook. They are counted just before they are sent, by account
 * and destination, in memory. A message over a share stays in the queue and its sender still gets
 * 250, so that replies do not reveal where an alias leads, and no account uses up the share of another.
 */

import { hash } from "node:crypto";
import type { Destination } from "../../../core/alias/alias.ts";
import type { Delivery, DeliveryOutcome } from "../../../core/delivery/delivery.ts";
import { sameMailbox } from "../../../core/destination/same-mailbox.ts";
import { RetryLine } from "../../../limits/backoff.ts";
import { type BucketRule, TokenBuckets } from "../../../limits/rate.ts";
import { bounds } from "../../../limits/table.ts";
import { type Clock, type Metrics, type Random, steadyMs } from "../../../runtime/ports.ts";

const RETRY_MAX_MS = 3_600_000;

export interface DestinationSharesParts {
  /** Limit of one destination over all accounts. */
  rule: BucketRule;
  clock: Clock;
  random: Random;
  metrics: Metrics;
  /** Key of the keyed hashes under which destinations are counted; default: a random key. */
  hashKey?: Buffer;
}

/** A message to send; mail to the operator has no account. */
type Sent = Pick<Delivery, "userId" | "target">;

export class DestinationShares {
  readonly #total: TokenBuckets;
  readonly #own: TokenBuckets;
  readonly #reserved: TokenBuckets;
  /** Retries of deferred messages, by account and receiver, at the rate at which the share refills. */
  readonly #retries: RetryLine;
  readonly #clock: Clock;
  readonly #metrics: Metrics;
  readonly #key: string;

  constructor({ rule, clock, random, metrics, hashKey }: DestinationSharesParts) {
    const partOf = (part: number) => ({ ...rule, max: Math.max(1, Math.floor(rule.max * part)) });
    const own = partOf(bounds.mailToDestination.accountPart);
    this.#total = new TokenBuckets(rule, bounds.rateBuckets.keys);
    this.#own = new TokenBuckets(own, bounds.rateBuckets.keys);
    this.#reserved = new TokenBuckets(partOf(bounds.mailToDestination.reservedPart), bounds.rateBuckets.keys);
    const spacingMs = (rule.windowSeconds * 1000) / own.max;
    this.#retries = new RetryLine({ firstMs: spacingMs, spacingMs, maxMs: RETRY_MAX_MS }, bounds.rateBuckets.keys);
    this.#clock = clock;
    this.#metrics = metrics;
    this.#key = (hashKey ?? random.bytes(32)).toString("base64");
  }

  /**
   * Checks a first attempt against the destination's share; it waits behind messages already deferred.
   * @returns `null` when the message was counted and may be sent
   */
  beforeAttempt(sent: Sent): DeliveryOutcome | null {
    return this.#before(sent, (pair, now) => this.#retries.isWaiting(pair, now));
  }

  /**
   * Checks an attempt from the queue against the destination's share.
   * @returns `null` when the message was counted and may be sent
   */
  beforeRetry(sent: Sent): DeliveryOutcome | null {
    return this.#before(sent, () => false);
  }

  #before({ userId, target }: Sent, mustWait: (pair: string, now: number) => boolean): DeliveryOutcome | null {
    if (userId === null || target.purpose !== undefined) return null;
    const to = this.#keyOf(nameOf(target.destination));
    const pair = this.#keyOf(`${userId} ${receiverOf(target.destination)}`);
    const now = steadyMs(this.#clock);
    if (!mustWait(pair, now) && this.#take(to, pair, now)) return null;
    this.#metrics.count("kauke_mail_limited_total", { limit: "mail_destination" });
    return deferredUntil(new Date(this.#clock.now().getTime() + this.#retries.next(pair, now) - now));
  }

  #take(to: string, pair: string, now: number): boolean {
    if (this.#own.isEmpty(pair, now)) return false;
    if (this.#total.isEmpty(to, now)) {
      if (!this.#reserved.take(pair, now)) return false;
    } else this.#total.spend(to, now);
    this.#own.spend(pair, now);
    return true;
  }

  /** Returns a keyed hash, so that no address is stored in the clear. */
  #keyOf(name: string): string {
    return hash("sha256", this.#key + name, "latin1").slice(0, 16);
  }
}

function nameOf(destination: Destination): string {
  return destination.kind === "mailbox" ? sameMailbox(destination.address) : destination.url;
}

/** Receiver an account's share is counted for: a mailbox, or all webhooks of a host, whose paths are unlimited. */
function receiverOf(destination: Destination): string {
  return destination.kind === "mailbox" ? nameOf(destination) : new URL(destination.url).host;
}

function deferredUntil(notBefore: Date): DeliveryOutcome {
  const failure = { code: "try_later", enhancedStatus: "4.7.1" } as const;
  return { kind: "deferred", failure, isUntried: true, notBefore };
}

/** Limits messages to a mailbox or webhook. Mail above it is queued after a 250, which hides where an alias leads. */

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
  /** Destinations are counted by keyed hashes; default: a random key. */
  hashKey?: Buffer;
}

/** Mail to the operator has no account. */
type Sent = Pick<Delivery, "userId" | "target">;

export class DestinationShares {
  readonly #total: TokenBuckets;
  readonly #own: TokenBuckets;
  readonly #reserved: TokenBuckets;
  /** Spaced at the rate at which the share refills, by account and receiver. */
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

  /** Waits behind messages already deferred. @returns `null` when the message was counted and may be sent */
  beforeAttempt(sent: Sent): DeliveryOutcome | null {
    return this.#before(sent, (pair, now) => this.#retries.isWaiting(pair, now));
  }

  /** @returns `null` when the message was counted and may be sent */
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

  /** A keyed hash, so that no address is stored in clear. */
  #keyOf(name: string): string {
    return hash("sha256", this.#key + name, "latin1").slice(0, 16);
  }
}

function nameOf(destination: Destination): string {
  return destination.kind === "mailbox" ? sameMailbox(destination.address) : destination.url;
}

/** Counts all webhooks of a host together, because their paths are unlimited. */
function receiverOf(destination: Destination): string {
  return destination.kind === "mailbox" ? nameOf(destination) : new URL(destination.url).host;
}

function deferredUntil(notBefore: Date): DeliveryOutcome {
  const failure = { code: "try_later", enhancedStatus: "4.7.1" } as const;
  return { kind: "deferred", failure, isUntried: true, notBefore };
}

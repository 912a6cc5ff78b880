/**
 * Limits of events over time. In memory: token buckets, and windows that begin with a key's first event. In the
 * database: the port by which requests are counted exactly over all processes. Time is passed in, in milliseconds.
 */
import { BoundedMap } from "../runtime/maps.ts";

/** At most `max` events in `windowSeconds`. */
export interface BucketRule {
  max: number;
  windowSeconds: number;
}

/** Counts of events by key, which must not contain an address in clear. */
interface Rates {
  isEmpty(key: string, nowMs: number): boolean;
  /** Counts an event even over the limit. */
  spend(key: string, nowMs: number): void;
}

/** Counts one event in all of these, or in none when one of them is used up. @returns whether it was counted */
export function spendAll(counted: readonly (readonly [rates: Rates, key: string])[], nowMs: number): boolean {
  if (counted.some(([rates, key]) => rates.isEmpty(key, nowMs))) return false;
  for (const [rates, key] of counted) rates.spend(key, nowMs);
  return true;
}

interface Bucket {
  /** Tokens of this key that had been taken and not yet refilled at the time `at`. */
  used: number;
  at: number;
}

/**
 * Token buckets: `max` at once, then `max` per window. Above `capacity` keys, the half not used for longest is
 * forgotten, which can only allow more. Of that half, keys that have used more than half of their tokens stay if there
 * is space, so that a flood of new keys does not reset those over their limit.
 */
export class TokenBuckets implements Rates {
  readonly #max: number;
  readonly #perMs: number;
  readonly #half: number;
  // Two generations: using a key promotes it to the young one; when that is full, the old one is dropped.
  #young = new Map<string, Bucket>();
  #old = new Map<string, Bucket>();

  /** @param capacity maximum number of keys, at least two; one key has one bucket */
  constructor({ max, windowSeconds }: BucketRule, capacity: number) {
    this.#max = max;
    this.#perMs = max / (windowSeconds * 1000);
    this.#half = Math.max(1, Math.floor(capacity / 2));
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** Whether the key has fewer than `count` tokens left. */
  isEmpty(key: string, nowMs: number, count = 1): boolean {
    if (this.#max < count) return true;
    const bucket = this.#young.get(key) ?? this.#old.get(key);
    return bucket !== undefined && this.#usedAt(bucket, nowMs) + count > this.#max;
  }

  /** Takes one token. @returns false, and takes none, when the bucket is empty */
  take(key: string, nowMs: number): boolean {
    if (this.isEmpty(key, nowMs)) return false;
    this.spend(key, nowMs);
    return true;
  }

  /**
   * Takes tokens even if the bucket is empty, for events that already happened. A bucket is overdrawn by at most one
   * window.
   */
  spend(key: string, nowMs: number, count = 1): void {
    const bucket = this.#bucketOf(key, nowMs);
    bucket.used = Math.min(this.#usedAt(bucket, nowMs) + count, this.#max * 2);
    bucket.at = nowMs;
  }

  /** Tokens used after refilling; a clock that steps back changes nothing. */
  #usedAt({ used, at }: Bucket, nowMs: number): number {
    return nowMs <= at ? used : Math.max(0, used - (nowMs - at) * this.#perMs);
  }

  #bucketOf(key: string, nowMs: number): Bucket {
    const known = this.#young.get(key);
    if (known !== undefined) return known;
    const bucket = this.#old.get(key) ?? { used: 0, at: nowMs };
    this.#old.delete(key);
    if (this.#young.size >= this.#half) this.#forgetOld(nowMs);
    this.#young.set(key, bucket);
    return bucket;
  }

  #forgetOld(nowMs: number): void {
    const held = new Map<string, Bucket>();
    for (const [key, bucket] of this.#old) {
      if (held.size >= Math.floor(this.#half / 2)) break;
      if (this.#usedAt(bucket, nowMs) > this.#max / 2) held.set(key, bucket);
    }
    this.#old = this.#young;
    this.#young = held;
  }
}

/** `max` events per window, which begins with the first event of a key. Full, it evicts the key used longest ago. */
export class FixedWindows implements Rates {
  readonly #rule: BucketRule;
  readonly #windows: BoundedMap<string, { since: number; count: number }>;

  constructor(rule: BucketRule, capacity: number) {
    this.#rule = rule;
    this.#windows = new BoundedMap(capacity);
  }

  isEmpty(key: string, nowMs: number): boolean {
    return (this.#current(key, nowMs)?.count ?? 0) >= this.#rule.max;
  }

  spend(key: string, nowMs: number): void {
    const { since, count } = this.#current(key, nowMs) ?? { since: nowMs, count: 0 };
    this.#windows.set(key, { since, count: count + 1 });
  }

  /** Counts an event. @returns false, counting nothing, when the window is full */
  take(key: string, nowMs: number): boolean {
    return spendAll([[this, key]], nowMs);
  }

  forget(key: string): void {
    this.#windows.delete(key);
  }

  #current(key: string, nowMs: number) {
    const window = this.#windows.get(key);
    return window !== undefined && nowMs - window.since < this.#rule.windowSeconds * 1000 ? window : null;
  }
}

export interface RateLimitRule extends BucketRule {
  /** Name of the limit, e.g. `alias_create`. */
  action: string;
}

/** Limit that allows some attempts freely and then requires growing waits: each wait is twice the previous one. */
export interface SpacedLimitRule {
  action: string;
  free: number;
  /** Seconds to wait after the last free attempt; each later wait is twice the one before. Default 1. */
  firstWaitSeconds?: number;
  longestWaitSeconds: number;
  /** Seconds without an allowed attempt after which the count starts again at zero. */
  forgetSeconds: number;
}

export interface RateLimitSubject {
  userId?: string;
  /** Client's IP address; stored only as a keyed hash. */
  ipAddress?: string;
  /** Any other subject, e.g. the e-mail of a sign-in; stored only as a keyed hash. */
  key?: string;
}

export interface RateLimitResult {
  allowed: boolean;
  /** Requests of the subject in this window, including this one. */
  count: number;
  /** Time at which the window ends; for a limit with growing waits, when the next attempt is allowed. */
  resetAt: Date;
}

export interface RateLimitStore {
  /**
   * Counts one request in one statement, exactly even across processes. A refused request counts too.
   * @returns whether the request is within the limit
   */
  take(rule: RateLimitRule, subject: RateLimitSubject, now: Date): Promise<RateLimitResult>;
  /**
   * Counts a request as `weight` ordinary ones if all of them are within the limit, otherwise not at all. One statement,
   * exact across processes.
   */
  takeAll(rule: RateLimitRule, subject: RateLimitSubject, now: Date, weight: number): Promise<RateLimitResult>;
  /**
   * Allows an attempt if it is one of the first `free`, or if `firstWaitSeconds * 2^(count - free)` seconds (at most
   * `longestWaitSeconds`) have passed since the last allowed one; `count` is the number allowed so far, and column
   * `last_action` the time of the last. A refused attempt changes nothing, so an attacker's attempts lock nobody out
   * for longer than the wait. One statement, exact across processes: `INSERT … ON CONFLICT DO UPDATE … WHERE
   * last_action + wait <= now RETURNING`; no row means refused.
   * @returns `resetAt`: when the next attempt is allowed
   */
  takeSpaced(rule: SpacedLimitRule, subject: RateLimitSubject, now: Date): Promise<RateLimitResult>;
  /**
   * Subtracts from the subject's count, for a request that turned out not to concern the limit.
   * @param weight number of requests that it was counted as; default 1
   */
  giveBack(action: string, subject: RateLimitSubject, weight?: number): Promise<void>;
  /** Deletes a subject's count, e.g. after a successful sign-in. */
  clear(action: string, subject: RateLimitSubject): Promise<void>;
  deleteBefore(windowStart: Date): Promise<number>;
}

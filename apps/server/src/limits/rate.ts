/** Limits of events over time, in memory and, exact over all processes, in the database. Time is in milliseconds. */
import { BoundedMap } from "../runtime/maps.ts";

export interface BucketRule {
  max: number;
  windowSeconds: number;
}

/** Counts of events by key, which must not contain an address in clear. */
interface Rates {
  isEmpty(key: string, nowMs: number): boolean;
  /** Counts an event, even over the limit. */
  spend(key: string, nowMs: number): void;
}

/** Counts one event in all of these, or in none when one is used up. @returns whether it was counted */
export function spendAll(counted: readonly (readonly [rates: Rates, key: string])[], nowMs: number): boolean {
  if (counted.some(([rates, key]) => rates.isEmpty(key, nowMs))) return false;
  for (const [rates, key] of counted) rates.spend(key, nowMs);
  return true;
}

interface Bucket {
  /** Tokens taken and not yet refilled at the time `at`. */
  used: number;
  at: number;
}

/** `max` at once, then `max` per window. Full, it drops keys not used for long, but rather not those over the limit. */
export class TokenBuckets implements Rates {
  readonly #max: number;
  readonly #perMs: number;
  readonly #half: number;
  // Two generations: using a key promotes it to the young one; when that is full, the old one is dropped.
  #young = new Map<string, Bucket>();
  #old = new Map<string, Bucket>();

  /** @param capacity maximum number of keys, at least two */
  constructor({ max, windowSeconds }: BucketRule, capacity: number) {
    this.#max = max;
    this.#perMs = max / (windowSeconds * 1000);
    this.#half = Math.max(1, Math.floor(capacity / 2));
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  isEmpty(key: string, nowMs: number, count = 1): boolean {
    if (this.#max < count) return true;
    const bucket = this.#young.get(key) ?? this.#old.get(key);
    return bucket !== undefined && this.#usedAt(bucket, nowMs) + count > this.#max;
  }

  /** @returns false, taking none, when the bucket is empty */
  take(key: string, nowMs: number): boolean {
    if (this.isEmpty(key, nowMs)) return false;
    this.spend(key, nowMs);
    return true;
  }

  /** Takes tokens even from an empty bucket, for events that already happened; overdraws by at most one window. */
  spend(key: string, nowMs: number, count = 1): void {
    const bucket = this.#bucketOf(key, nowMs);
    bucket.used = Math.min(this.#usedAt(bucket, nowMs) + count, this.#max * 2);
    bucket.at = nowMs;
  }

  /** Tokens used after refilling; a clock that steps back refills nothing. */
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

/** `max` events per window, which begins with a key's first event. Full, it evicts the key used longest ago. */
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

  /** @returns false, counting nothing, when the window is full */
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

/** Some free attempts, then growing waits. */
export interface SpacedLimitRule {
  action: string;
  free: number;
  /** Wait after the last free attempt, doubled after each further one; default 1. */
  firstWaitSeconds?: number;
  longestWaitSeconds: number;
  /** Seconds without an allowed attempt after which the count starts again. */
  forgetSeconds: number;
}

export interface RateLimitSubject {
  userId?: string;
  /** IP address; stored only as a keyed hash. */
  ipAddress?: string;
  /** Other subject, e.g. the e-mail of a sign-in; stored only as a keyed hash. */
  key?: string;
}

export interface RateLimitResult {
  allowed: boolean;
  /** Requests in this window, including this one. */
  count: number;
  /** End of the window, or with growing waits the time of the next allowed attempt. */
  resetAt: Date;
}

export interface RateLimitStore {
  /** One statement, exact across processes. A refused request counts too. */
  take(rule: RateLimitRule, subject: RateLimitSubject, now: Date): Promise<RateLimitResult>;
  /** Counts as `weight` requests, all or none. One statement, exact across processes. */
  takeAll(rule: RateLimitRule, subject: RateLimitSubject, now: Date, weight: number): Promise<RateLimitResult>;
  /**
   * Allows `free` attempts, then one per `firstWaitSeconds * 2^(count - free)`, at most `longestWaitSeconds`. A refused
   * attempt changes nothing, so an attacker locks nobody out for longer than the wait. Exact across processes.
   */
  takeSpaced(rule: SpacedLimitRule, subject: RateLimitSubject, now: Date): Promise<RateLimitResult>;
  /** For a request that turned out not to concern the limit. @param weight as it was counted; default 1 */
  giveBack(action: string, subject: RateLimitSubject, weight?: number): Promise<void>;
  /** Deletes a subject's count, e.g. after a successful sign-in. */
  clear(action: string, subject: RateLimitSubject): Promise<void>;
  deleteBefore(windowStart: Date): Promise<number>;
}

/**
 * Token buckets in memory, one per key, for limits that must cost no write: `max` at once, then `max` per window. Pure: time is
 * told, in milliseconds. Bounded: above `capacity` keys the half not used for longest is forgotten, which only ever lets more
 * through; of that half those stay that have used up more than half of theirs, as far as there is room, so that a flood of new
 * keys does not free the ones that are held back. Keys are the caller's: compact, and no address in clear.
 */
export interface BucketRule {
  max: number;
  windowSeconds: number;
}

interface Bucket {
  /** Tokens taken and not yet refilled, at `at`. */
  used: number;
  at: number;
}

export class TokenBuckets {
  readonly #max: number;
  readonly #perMs: number;
  readonly #half: number;
  /** Two generations: what is used moves into the young one; when that is full, the old one is forgotten. */
  #young = new Map<string, Bucket>();
  #old = new Map<string, Bucket>();

  /** @param capacity keys remembered at most, two or more */
  constructor({ max, windowSeconds }: BucketRule, capacity: number) {
    this.#max = max;
    this.#perMs = max / (windowSeconds * 1000);
    this.#half = Math.max(1, Math.floor(capacity / 2));
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** Whether `count` more would be too many. */
  isEmpty(key: string, nowMs: number, count = 1): boolean {
    if (this.#max < count) return true;
    const bucket = this.#young.get(key) ?? this.#old.get(key);
    return bucket !== undefined && this.#usedAt(bucket, nowMs) + count > this.#max;
  }

  /** Counts one if it fits. @returns false, and counts nothing, when it does not */
  take(key: string, nowMs: number): boolean {
    if (this.isEmpty(key, nowMs)) return false;
    this.spend(key, nowMs);
    return true;
  }

  /** Counts whether it fits or not: it has happened. The debt is at most one more window. */
  spend(key: string, nowMs: number, count = 1): void {
    const bucket = this.#bucketOf(key, nowMs);
    bucket.used = Math.min(this.#usedAt(bucket, nowMs) + count, this.#max * 2);
    bucket.at = nowMs;
  }

  /** A clock that steps back refills nothing, and takes nothing back either. */
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

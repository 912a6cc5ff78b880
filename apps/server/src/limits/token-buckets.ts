/**
 * In-memory token buckets, one per key, for limits that must not cost a write: `max` at once, then `max` per window.
 * Time is passed in, in milliseconds. Memory is bounded: above `capacity` keys, the half not used for longest is
 * forgotten, which can only allow more. Of that half, keys that have used more than half of their tokens are kept if
 * there is space, so that a flood of new keys does not reset those over their limit. Keys should be compact and contain
 * no address in clear. Pure.
 */

export interface BucketRule {
  max: number;
  windowSeconds: number;
}

interface Bucket {
  /** Tokens of this key that had been taken and not yet refilled at the time `at`. */
  used: number;
  at: number;
}

export class TokenBuckets {
  readonly #max: number;
  readonly #perMs: number;
  readonly #half: number;
  /** Two generations of keys: a used key moves to the young one; when that is full, the old one is forgotten. */
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

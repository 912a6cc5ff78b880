/**
 * What each account (or alias) holds of the spool. A figure is what the store counted plus what this process added since; mail that
 * left since then makes it too high, never too low, so it is counted anew before a message is refused. Several processes: each
 * counts again after an eighth of what still fits, so mail of the others is seen then.
 */
const KNOWN_MAX = 10_000;
/** Shortest time between two counts of the same account or alias. */
const COUNT_EVERY_MS = 1000;
/** After a count the next one waits at least this many times as long as the count took: at most a twentieth of the time goes to it. */
const COUNT_TIME_SHARE = 20;
/** Part of its maximum that an account or alias may add before it is counted for the first time, so that little mail costs no query. */
const UNCOUNTED_SHARE = 1 / 16;
/** Of what still fits: what a key may add before it is counted again. */
const ALLOWANCE_SHARE = 1 / 8;

export interface SpoolMeterParts {
  /** Bytes of undelivered mail in the store. */
  count(key: string): Promise<number>;
  /** Bytes a key may hold while the disk has room. */
  maxBytes: number;
  /** Milliseconds. */
  now(): number;
}

interface Entry {
  countedBytes: number;
  /** Stored by this process since the last count began. */
  addedBytes: number;
  /** Admitted by this process and not in the store yet, or not in its count: messages that are written or under way. */
  inFlightBytes: number;
  /** Bytes that may be added before the next count. */
  allowanceBytes: number;
  mayCountAt: number;
  counting: Promise<void> | null;
}

export class SpoolMeter {
  readonly #parts: SpoolMeterParts;
  readonly #entries = new Map<string, Entry>();

  constructor(parts: SpoolMeterParts) {
    this.#parts = parts;
  }

  /** Whether a count is due before `fits` may answer. @param share of the maximum, 0 to 1 */
  needsCount(key: string, bytes: number, share: number): boolean {
    const entry = this.#entries.get(key) ?? this.#enter(key);
    const isLittle = share === 1 && entry.addedBytes + entry.inFlightBytes + bytes <= entry.allowanceBytes;
    return !isLittle && this.mayCount(key);
  }

  /** Whether a message still fits, by what is known. */
  fits(key: string, bytes: number, share: number): boolean {
    return this.#heldBytes(key) + bytes <= this.#parts.maxBytes * share;
  }

  /** Whether its last count is long enough ago. */
  mayCount(key: string): boolean {
    return this.#parts.now() >= (this.#entries.get(key)?.mayCountAt ?? 0);
  }

  /** By what is known; a key that this process never saw has room. */
  isFull(key: string, share: number): boolean {
    return this.#entries.has(key) && this.#heldBytes(key) >= this.#parts.maxBytes * share;
  }

  async count(key: string): Promise<void> {
    const entry = this.#entries.get(key) ?? this.#enter(key);
    entry.counting ??= this.#count(key, entry).finally(() => {
      entry.counting = null;
    });
    await entry.counting;
  }

  admit(key: string, bytes: number): void {
    (this.#entries.get(key) ?? this.#enter(key)).inFlightBytes += bytes;
  }

  /** What was admitted is in the store, or never will be. */
  settle(key: string, bytes: number, isStored: boolean): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    entry.inFlightBytes -= bytes;
    if (isStored) entry.addedBytes += bytes;
  }

  #heldBytes(key: string): number {
    const entry = this.#entries.get(key);
    return entry === undefined ? 0 : entry.countedBytes + entry.addedBytes + entry.inFlightBytes;
  }

  async #count(key: string, entry: Entry): Promise<void> {
    const { now, maxBytes, count } = this.#parts;
    const [startedAt, addedBefore] = [now(), entry.addedBytes];
    entry.countedBytes = await count(key);
    entry.addedBytes -= addedBefore;
    entry.allowanceBytes = Math.max(0, maxBytes - entry.countedBytes) * ALLOWANCE_SHARE;
    const tookMs = now() - startedAt;
    entry.mayCountAt = now() + Math.max(COUNT_EVERY_MS, tookMs * COUNT_TIME_SHARE);
  }

  #enter(key: string): Entry {
    if (this.#entries.size >= KNOWN_MAX) this.#evict();
    const allowanceBytes = this.#parts.maxBytes * UNCOUNTED_SHARE;
    const nothing = { countedBytes: 0, addedBytes: 0, inFlightBytes: 0, mayCountAt: 0, counting: null };
    const entry: Entry = { ...nothing, allowanceBytes };
    this.#entries.set(key, entry);
    return entry;
  }

  /** The entry known for longest that has nothing in flight. */
  #evict(): void {
    for (const [key, entry] of this.#entries) {
      if (entry.inFlightBytes > 0 || entry.counting !== null) continue;
      this.#entries.delete(key);
      return;
    }
  }
}

/**
 * Tracks how many bytes of the spool each account (or alias) holds: the store's last count plus what this process
 * added since. Mail delivered since that count makes the figure too high, so a key is counted again before
 * its message is refused. Mail added by other processes makes it too low, so a key is also counted again after this one
 * has added an eighth of the remaining space.
 */
import { bounds } from "../../limits/table.ts";

/** Minimum time between two counts of the same account or alias. */
const COUNT_EVERY_MS = 1000;
/** Minimum wait after a count, as a multiple of its duration: counting takes at most a twentieth of the time. */
const COUNT_TIME_SHARE = 20;
/** Share of its maximum that an account or alias may add before its first count, so that little mail costs no query. */
const UNCOUNTED_SHARE = 1 / 16;
/** Share of the remaining space that an account or alias may add before it is counted again. */
const ALLOWANCE_SHARE = 1 / 8;

export interface SpoolMeterParts {
  /** Reads the bytes of undelivered mail from the store. */
  count(key: string): Promise<number>;
  /** Maximum bytes per account (or alias) while the disk has space. */
  maxBytes: number;
  now(): number;
}

interface Entry {
  countedBytes: number;
  /** Bytes stored by this process since the last count began. */
  addedBytes: number;
  /** Bytes admitted by this process that are not yet stored, or not in the last count. */
  inFlightBytes: number;
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

  /** Whether to call `count` before `fits`. @param share share of the maximum, 0 to 1 */
  needsCount(key: string, bytes: number, share: number): boolean {
    const entry = this.#entries.get(key) ?? this.#enter(key);
    const isLittle = share === 1 && entry.addedBytes + entry.inFlightBytes + bytes <= entry.allowanceBytes;
    return !isLittle && this.mayCount(key);
  }

  /** Whether a message of this size fits into the spool quota of the account or alias, by the present figures. */
  fits(key: string, bytes: number, share: number): boolean {
    return this.#heldBytes(key) + bytes <= this.#parts.maxBytes * share;
  }

  /** Whether the last count of the account or alias is long enough ago to count again. */
  mayCount(key: string): boolean {
    return this.#parts.now() >= (this.#entries.get(key)?.mayCountAt ?? 0);
  }

  /** Whether the account or alias has used up its quota; false for one that was never counted. */
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

  /** Called once per admitted message: after it was stored, or when it will not be stored. */
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
    if (this.#entries.size >= bounds.remembered.spoolOwners) this.#evict();
    const allowanceBytes = this.#parts.maxBytes * UNCOUNTED_SHARE;
    const nothing = { countedBytes: 0, addedBytes: 0, inFlightBytes: 0, mayCountAt: 0, counting: null };
    const entry: Entry = { ...nothing, allowanceBytes };
    this.#entries.set(key, entry);
    return entry;
  }

  #evict(): void {
    for (const [key, entry] of this.#entries) {
      if (entry.inFlightBytes > 0 || entry.counting !== null) continue;
      this.#entries.delete(key);
      return;
    }
  }
}

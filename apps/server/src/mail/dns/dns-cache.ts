/**
 * Cache of DNS answers, limited in bytes, with a share for each zone. Concurrent look-ups of a name share one query.
 * When the cache is full, the zones with the most bytes lose their oldest entries.
 */
import { zoneOf } from "../../limits/party.ts";

export interface AnswerCacheLimits {
  bytes: number;
  zoneBytes: number;
}

const MIB = 1024 * 1024;
const cacheLimits: AnswerCacheLimits = { bytes: 16 * MIB, zoneBytes: MIB };

/** Lifetime and size of an answer in the cache. */
export interface KeptAnswer {
  keepMs: number;
  /** Estimated bytes that the answer takes in memory. */
  bytes: number;
}

interface Entry {
  answer: Promise<unknown>;
  /** Time of expiry on the cache's clock, in milliseconds; infinite while the query is pending. */
  until: number;
  bytes: number;
  zone: string;
}

interface Zone {
  bytes: number;
  /** Keys of the zone's entries, oldest first. */
  keys: Set<string>;
}

/**
 * Estimated bytes of an entry without its answer: key, promise, maps. The same for all entries, so that of zones with
 * equally many small answers the oldest loses entries first. It also limits the cache to some 16,000 entries.
 */
export const ENTRY_BYTES = 1024;
const SWEEP_EVERY_MS = 30_000;
/** Part of the cache that is freed at once when it is full, so that zones are sorted rarely. */
const FREED_PART = 1 / 16;

export class AnswerCache {
  readonly #limits: AnswerCacheLimits;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();
  readonly #zones = new Map<string, Zone>();
  #bytes = 0;
  #sweepAt = 0;

  constructor(now: () => number, limits = cacheLimits) {
    this.#now = now;
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Returns the cached answer to a question, or makes the query; concurrent calls share one query.
   * @param question record type, and name in lower case
   * @param ask makes the query; never rejects
   * @param keep determines how long and with which size the answer is cached
   */
  ask<T>(
    [type, name]: [type: string, name: string],
    ask: () => Promise<T>,
    keep: (answer: T) => KeptAnswer,
  ): Promise<T> {
    const key = `${type} ${name}`;
    const known = this.#entries.get(key);
    if (known !== undefined && known.until > this.#now()) return known.answer as Promise<T>;
    if (known !== undefined) this.#remove(key);
    this.#sweep();
    const answer = ask();
    const entry: Entry = { answer, until: Number.POSITIVE_INFINITY, bytes: 0, zone: zoneOf(name) };
    this.#add(key, entry);
    void answer.then((found) => {
      const { keepMs, bytes } = keep(found);
      entry.until = this.#now() + keepMs;
      if (this.#entries.get(key) === entry) this.#grow(entry, bytes);
    });
    return answer;
  }

  #add(key: string, entry: Entry): void {
    const zone = this.#zones.get(entry.zone);
    if (zone === undefined) this.#zones.set(entry.zone, { bytes: 0, keys: new Set([key]) });
    else zone.keys.add(key);
    this.#entries.set(key, entry);
    this.#grow(entry, ENTRY_BYTES);
  }

  #grow(entry: Entry, bytes: number): void {
    const zone = this.#zones.get(entry.zone);
    if (zone === undefined) return;
    entry.bytes += bytes;
    zone.bytes += bytes;
    this.#bytes += bytes;
    this.#shrink(zone, () => zone.bytes <= this.#limits.zoneBytes);
    if (this.#bytes > this.#limits.bytes) this.#freeLargest();
  }

  /** Shrinks the largest zones to one common size until enough is freed. */
  #freeLargest(): void {
    const target = this.#limits.bytes * (1 - FREED_PART);
    const largestFirst = [...this.#zones.values()].sort((a, b) => b.bytes - a.bytes);
    const level = levelOf(largestFirst, this.#bytes - target);
    for (const zone of largestFirst) this.#shrink(zone, () => this.#bytes <= target || zone.bytes <= level);
  }

  /** Removes the oldest entries of a zone. */
  #shrink(zone: Zone, isEnough: () => boolean): void {
    for (const key of zone.keys) {
      if (isEnough()) return;
      this.#remove(key);
    }
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
    const zone = this.#zones.get(entry.zone);
    if (zone === undefined) return;
    zone.keys.delete(key);
    zone.bytes -= entry.bytes;
    if (zone.keys.size === 0) this.#zones.delete(entry.zone);
  }

  #sweep(): void {
    const now = this.#now();
    if (now < this.#sweepAt) return;
    this.#sweepAt = now + SWEEP_EVERY_MS;
    for (const [key, entry] of this.#entries) if (entry.until <= now) this.#remove(key);
  }
}

/** @returns the number of bytes to which all larger zones must shrink to free `excess` bytes together */
function levelOf(largestFirst: readonly { bytes: number }[], excess: number): number {
  let above = 0;
  for (const [at, { bytes }] of largestFirst.entries()) {
    above += bytes;
    const level = (above - excess) / (at + 1);
    if (level >= (largestFirst[at + 1]?.bytes ?? 0)) return level;
  }
  return 0;
}

/**
 * Cache of DNS results, limited in bytes, with a share for each zone. When it is full, the zones with the most bytes
 * lose their oldest entries. Concurrent look-ups of a name share one query.
 */

import { zoneOf } from "../../limits/party.ts";
import { bounds } from "../../limits/table.ts";

export interface DnsCacheLimits {
  bytes: number;
  zoneBytes: number;
}

export interface CachedResult {
  keepMs: number;
  bytes: number;
}

interface Entry {
  result: Promise<unknown>;
  until: number;
  bytes: number;
  zone: string;
}

interface Zone {
  bytes: number;
  keys: Set<string>;
}

/** Estimated bytes of an entry without its result; limits the cache to some 16,000 entries, however small. */
export const ENTRY_BYTES = 1024;
const SWEEP_EVERY_MS = 30_000;
/** Part that is freed at once, so that zones are sorted rarely. */
const FREED_PART = 1 / 16;

export class DnsCache {
  readonly #limits: DnsCacheLimits;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();
  readonly #zones = new Map<string, Zone>();
  #bytes = 0;
  #sweepAt = 0;

  constructor(now: () => number, limits: DnsCacheLimits = bounds.dnsCache) {
    this.#now = now;
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** @param question record type, and name in lower case @param ask never rejects @param keep lifetime and size */
  ask<T>(
    [type, name]: [type: string, name: string],
    ask: () => Promise<T>,
    keep: (result: T) => CachedResult,
  ): Promise<T> {
    const key = `${type} ${name}`;
    const known = this.#entries.get(key);
    if (known !== undefined && known.until > this.#now()) return known.result as Promise<T>;
    if (known !== undefined) this.#remove(key);
    this.#sweep();
    const result = ask();
    const entry: Entry = { result, until: Number.POSITIVE_INFINITY, bytes: 0, zone: zoneOf(name) };
    this.#add(key, entry);
    void result.then((found) => {
      const { keepMs, bytes } = keep(found);
      entry.until = this.#now() + keepMs;
      if (this.#entries.get(key) === entry) this.#grow(entry, bytes);
    });
    return result;
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

  #freeLargest(): void {
    const target = this.#limits.bytes * (1 - FREED_PART);
    const largestFirst = [...this.#zones.values()].sort((a, b) => b.bytes - a.bytes);
    const level = levelOf(largestFirst, this.#bytes - target);
    for (const zone of largestFirst) this.#shrink(zone, () => this.#bytes <= target || zone.bytes <= level);
  }

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

function levelOf(largestFirst: readonly { bytes: number }[], excess: number): number {
  let above = 0;
  for (const [at, { bytes }] of largestFirst.entries()) {
    above += bytes;
    const level = (above - excess) / (at + 1);
    if (level >= (largestFirst[at + 1]?.bytes ?? 0)) return level;
  }
  return 0;
}

/** Bounds a zone's part of cache and pending queries, so that a slow name server can't exhaust the resolver. */
import { zoneOf } from "../../limits/party.ts";
import { bounds } from "../../limits/table.ts";
import { FairMap } from "../../runtime/fair-map.ts";

export interface CachedResult {
  keepMs: number;
  bytes: number;
}

/** Estimated bytes of an entry without its result; limits the cache to some 16,000 entries. */
export const ENTRY_BYTES = 1024;

/** Concurrent look-ups of a name share one query. */
export class DnsCache {
  readonly #now: () => number;
  readonly #results: FairMap<Promise<unknown>>;

  constructor(now: () => number, { bytes, zoneBytes }: { bytes: number; zoneBytes: number } = bounds.dnsCache) {
    this.#now = now;
    this.#results = new FairMap({ all: bytes, party: zoneBytes, nowMs: now });
  }

  get size(): number {
    return this.#results.count;
  }

  get bytes(): number {
    return this.#results.size;
  }

  /** @param question record type, and name in lower case @param ask never rejects @param keep lifetime and size */
  ask<T>(
    [type, name]: [type: string, name: string],
    ask: () => Promise<T>,
    keep: (result: T) => CachedResult,
  ): Promise<T> {
    const key = `${type} ${name}`;
    const known = this.#results.get(key) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const result = ask();
    const party = zoneOf(name);
    this.#results.set(key, result, { party, size: ENTRY_BYTES });
    void result.then((found) => {
      // A query that was evicted before its response stays out of the cache.
      if (this.#results.get(key) !== result) return;
      const { keepMs, bytes } = keep(found);
      this.#results.set(key, result, { party, size: ENTRY_BYTES + bytes, until: this.#now() + keepMs });
    });
    return result;
  }
}

/** Above a zone's share a query fails at once; above the total, the oldest of the zone with the most fails. */
export class PendingQuestions {
  readonly #share: number;
  readonly #pending: FairMap<() => void>;
  #asked = 0;

  constructor({ all, zone }: { all: number; zone: number } = bounds.dnsQueries) {
    this.#share = zone;
    this.#pending = new FairMap({ all, onDelete: (fail) => fail() });
  }

  /** @param name in lower case @param ask never rejects @returns the result, or `failed` without room */
  ask<T>(name: string, ask: () => Promise<T>, failed: T): Promise<T> {
    const party = zoneOf(name);
    if (this.#pending.sizeOf(party) >= this.#share) return Promise.resolve(failed);
    return new Promise((resolve) => {
      const key = `${this.#asked++}`;
      this.#pending.set(key, () => resolve(failed), { party, size: 1 });
      void ask().then((result) => {
        resolve(result);
        this.#pending.delete(key);
      });
    });
  }
}

/** A bounded queue that serves parties in turn or by used time. A full one drops the busiest party's newest item. */
import { BoundedMap } from "../maps.ts";

export interface FairLineOptions {
  all: number;
  party: number;
  /** Time that parties recently used; without it, they take turns. */
  used?: UsedTime;
}

export class FairLine<Item> {
  readonly #options: FairLineOptions;
  readonly #parties = new Map<string, Item[]>();
  #size = 0;

  constructor(options: FairLineOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#size;
  }

  get parties(): number {
    return this.#parties.size;
  }

  /** @returns the dropped item, the new one or another party's; `null` when there was room */
  push(party: string, item: Item): Item | null {
    const own = this.#parties.get(party);
    if (own !== undefined && own.length >= this.#options.party) return item;
    const displaced = this.#size < this.#options.all ? null : this.#displaceFor(party);
    if (this.#size >= this.#options.all) return item;
    this.#size++;
    const line = this.#parties.get(party);
    if (line === undefined) this.#parties.set(party, [item]);
    else line.push(item);
    return displaced;
  }

  shift(): Item | undefined {
    const party = this.#options.used?.leastOf(this.#parties.keys()) ?? this.#parties.keys().next().value;
    const items = party === undefined ? undefined : this.#parties.get(party);
    if (party === undefined || items === undefined) return undefined;
    const item = items.shift();
    this.#size--;
    this.#parties.delete(party);
    if (items.length > 0) this.#parties.set(party, items);
    return item;
  }

  /** Dequeues the item of least weight, in turn among equals; items of infinite weight stay without blocking others. */
  shiftLeast(weigh: (item: Item) => number): Item | undefined {
    let least: { party: string; item: Item; weight: number } | undefined;
    for (const [party, items] of this.#parties) {
      for (const item of items) {
        const weight = weigh(item);
        if (weight === Number.POSITIVE_INFINITY) continue;
        if (least === undefined || weight < least.weight) least = { party, item, weight };
        break;
      }
    }
    if (least === undefined) return undefined;
    const { party, item } = least;
    this.delete(party, item);
    const rest = this.#parties.get(party);
    this.#parties.delete(party);
    if (rest !== undefined) this.#parties.set(party, rest);
    return item;
  }

  delete(party: string, item: Item): boolean {
    const items = this.#parties.get(party);
    const at = items?.indexOf(item) ?? -1;
    if (items === undefined || at < 0) return false;
    items.splice(at, 1);
    if (items.length === 0) this.#parties.delete(party);
    this.#size--;
    return true;
  }

  removeParties(isRemoved: (first: Item) => boolean): Item[] {
    const removed: Item[] = [];
    for (const [party, items] of this.#parties) {
      if (items[0] === undefined || !isRemoved(items[0])) continue;
      removed.push(...items);
      this.#size -= items.length;
      this.#parties.delete(party);
    }
    return removed;
  }

  clear(): Item[] {
    const items = [...this.#parties.values()].flat();
    this.#parties.clear();
    this.#size = 0;
    return items;
  }

  /** Drops an item to make room for the newcomer's; none if the newcomer's party has the most. */
  #displaceFor(newcomer: string): Item | null {
    let busiest = {
      party: newcomer,
      count: (this.#parties.get(newcomer)?.length ?? 0) + 1,
      usedMs: this.#usedMs(newcomer),
    };
    for (const [party, { length: count }] of this.#parties) {
      const usedMs = this.#usedMs(party);
      const isBusier = count === busiest.count ? usedMs > busiest.usedMs : count > busiest.count;
      if (isBusier) busiest = { party, count, usedMs };
    }
    const item = busiest.party === newcomer ? undefined : this.#parties.get(busiest.party)?.at(-1);
    if (item === undefined) return null;
    this.delete(busiest.party, item);
    return item;
  }

  #usedMs(party: string): number {
    return this.#options.used?.msOf(party) ?? 0;
  }
}

const HALF_LIFE_MS = 30_000;
const PARTIES_MAX = 1000;

/** Time recently taken by a party's jobs, halved every 30 s; for a party of block and account, the larger of both. */
export class UsedTime {
  readonly #now: () => number;
  readonly #used = new BoundedMap<string, { ms: number; at: number }>(PARTIES_MAX);

  constructor(now: () => number) {
    this.#now = now;
  }

  async measure<T>(party: string, work: () => Promise<T>): Promise<T> {
    const startedAt = this.#now();
    try {
      return await work();
    } finally {
      this.add(party, this.#now() - startedAt);
    }
  }

  leastOf(parties: Iterable<string>): string | undefined {
    let least: { party: string; ms: number; ownMs: number } | undefined;
    for (const party of parties) {
      const ms = this.msOf(party);
      const ownMs = this.#msOfPart(partsOf(party).at(-1) ?? party);
      if (least === undefined || ms < least.ms || (ms === least.ms && ownMs < least.ownMs))
        least = { party, ms, ownMs };
    }
    return least?.party;
  }

  msOf(party: string): number {
    return Math.max(...partsOf(party).map((part) => this.#msOfPart(part)));
  }

  add(party: string, ms: number): void {
    for (const part of partsOf(party)) this.#used.set(part, { ms: this.#msOfPart(part) + ms, at: this.#now() });
  }

  #msOfPart(part: string): number {
    const entry = this.#used.get(part);
    return entry === undefined ? 0 : entry.ms * 0.5 ** ((this.#now() - entry.at) / HALF_LIFE_MS);
  }
}

const partsOf = (party: string): string[] => party.split(" ");

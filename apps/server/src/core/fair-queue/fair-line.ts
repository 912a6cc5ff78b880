/**
 * A bounded waiting line that serves its parties in turn, or the party that used the least first: a party with a thousand items
 * waits behind its own, and everybody else behind one of them. When the line is full, the party with the most items loses its
 * newest one; among parties with equally many, the one that used the most.
 */
import type { UsedTime } from "./used-time.ts";

export interface FairLineOptions {
  /** Items of all parties. */
  all: number;
  /** Items of one party. */
  party: number;
  /** What each party used of the work that the items wait for; without it, parties are served in turn. */
  used?: UsedTime;
}

export class FairLine<Item> {
  readonly #options: FairLineOptions;
  /** In the order in which the parties are served, where they take turns or used equally much. */
  readonly #parties = new Map<string, Item[]>();
  #size = 0;

  constructor(options: FairLineOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#size;
  }

  /** @returns the item that found no place, this one or another party's; `null` when there was room */
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

  /** The oldest item of the party that is served next. */
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

  /** As `shift` in turns, among the items that `mayGo`; within a party an item that may not go does not hold up those behind it. */
  shiftIf(mayGo: (item: Item) => boolean): Item | undefined {
    for (const [party, items] of this.#parties) {
      const item = items.find(mayGo);
      if (item === undefined) continue;
      this.delete(party, item);
      const rest = this.#parties.get(party);
      this.#parties.delete(party);
      if (rest !== undefined) this.#parties.set(party, rest);
      return item;
    }
    return undefined;
  }

  /** @returns false when it is not in the line (any more) */
  delete(party: string, item: Item): boolean {
    const items = this.#parties.get(party);
    const at = items?.indexOf(item) ?? -1;
    if (items === undefined || at < 0) return false;
    items.splice(at, 1);
    if (items.length === 0) this.#parties.delete(party);
    this.#size--;
    return true;
  }

  /** Empties the line. */
  clear(): Item[] {
    const items = [...this.#parties.values()].flat();
    this.#parties.clear();
    this.#size = 0;
    return items;
  }

  /** Removes the newest item of the busiest party, if the newcomer's party would be less busy with one item more. */
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

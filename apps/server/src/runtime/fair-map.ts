/** A map that strangers fill, bounded in total and per party. When full, it evicts from the party with most entries. */

export interface FairMapOptions<V> {
  /** Maximum sum of the entries' sizes. */
  all: number;
  /** Maximum sum of one party's sizes; default: `all`. */
  party?: number;
  /** The clock of `until`. */
  nowMs?(): number;
  onDelete?(value: V): void;
}

export interface EntryTerms {
  party: string;
  /** An integer below 2^31, in the unit of the bounds. */
  size: number;
  /** Time at which the entry expires; default: never. */
  until?: number;
}

interface Entry<V> extends Linked<Entry<V>> {
  key: string;
  value: V;
  size: number;
  until: number;
  party: Party<V>;
}

interface Party<V> extends Linked<Party<V>> {
  name: string;
  size: number;
  /** Least recently used first. */
  entries: LinkedQueue<Entry<V>>;
}

const SWEEP_EVERY_MS = 30_000;
const sizeClass = ({ size }: { size: number }) => 31 - Math.clz32(size);

export class FairMap<V> {
  readonly #options: FairMapOptions<V>;
  readonly #entries = new Map<string, Entry<V>>();
  readonly #parties = new Map<string, Party<V>>();
  /** Parties by the binary logarithm of their size, so that eviction takes constant time. */
  readonly #bySize = Array.from({ length: 32 }, () => new LinkedQueue<Party<V>>());
  #size = 0;
  #sweepAt = 0;

  constructor(options: FairMapOptions<V>) {
    this.#options = options;
  }

  get count(): number {
    return this.#entries.size;
  }

  get size(): number {
    return this.#size;
  }

  sizeOf(party: string): number {
    return this.#parties.get(party)?.size ?? 0;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.until <= this.#now()) return undefined;
    entry.party.entries.remove(entry);
    entry.party.entries.push(entry);
    return entry.value;
  }

  /** Adds the entry as its party's most recently used one, unless it alone exceeds the party's share. */
  set(key: string, value: V, { party: name, size, until = Number.POSITIVE_INFINITY }: EntryTerms): void {
    const { all, party: share = all } = this.#options;
    this.delete(key);
    this.#sweep();
    if (size > share) return;
    while (this.sizeOf(name) + size > share) this.#delete(this.#parties.get(name)?.entries.first);
    while (this.#size + size > all) this.#delete(this.#largest()?.entries.first);
    const party = this.#parties.get(name) ?? { name, size: 0, entries: new LinkedQueue(), previous: null, next: null };
    const entry = { key, value, size, until, party, previous: null, next: null };
    this.#parties.set(name, party);
    this.#entries.set(key, entry);
    party.entries.push(entry);
    this.#resize(party, size);
  }

  delete(key: string): void {
    this.#delete(this.#entries.get(key));
  }

  deleteParty(name: string): void {
    const party = this.#parties.get(name);
    while (party?.entries.first) this.#delete(party.entries.first);
  }

  clear(): void {
    for (const entry of this.#entries.values()) this.#delete(entry);
  }

  #now(): number {
    return this.#options.nowMs?.() ?? 0;
  }

  #largest(): Party<V> | null | undefined {
    return this.#bySize.findLast((parties) => parties.first !== null)?.first;
  }

  #delete(entry: Entry<V> | null | undefined): void {
    if (!entry) return;
    const { key, value, size, party } = entry;
    this.#entries.delete(key);
    party.entries.remove(entry);
    this.#resize(party, -size);
    if (party.entries.first === null) this.#parties.delete(party.name);
    this.#options.onDelete?.(value);
  }

  /** Moves the party behind others of its new size class, so that they lose entries in turn. */
  #resize(party: Party<V>, change: number): void {
    if (party.size > 0) this.#bySize[sizeClass(party)]?.remove(party);
    party.size += change;
    this.#size += change;
    if (party.size > 0) this.#bySize[sizeClass(party)]?.push(party);
  }

  #sweep(): void {
    const now = this.#now();
    if (now < this.#sweepAt) return;
    this.#sweepAt = now + SWEEP_EVERY_MS;
    for (const entry of this.#entries.values()) if (entry.until <= now) this.#delete(entry);
  }
}

/** First-in, first-out queue with constant-time removal of any item, unlike a Set after many removals. */
export interface Linked<Item> {
  previous: Item | null;
  next: Item | null;
}

export class LinkedQueue<Item extends Linked<Item>> {
  #first: Item | null = null;
  #last: Item | null = null;

  get first(): Item | null {
    return this.#first;
  }

  push(item: Item): void {
    item.previous = this.#last;
    if (this.#last === null) this.#first = item;
    else this.#last.next = item;
    this.#last = item;
  }

  remove(item: Item): void {
    if (item.previous === null) this.#first = item.next;
    else item.previous.next = item.next;
    if (item.next === null) this.#last = item.previous;
    else item.next.previous = item.previous;
    item.previous = item.next = null;
  }
}

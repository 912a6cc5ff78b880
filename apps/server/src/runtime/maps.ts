/** A map of at most `max` entries. Setting a key makes it the newest; a new key evicts the oldest. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #max: number;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  override set(key: K, value: V): this {
    this.delete(key);
    if (this.size >= this.#max) this.#deleteOldest();
    return super.set(key, value);
  }

  #deleteOldest(): void {
    for (const key of this.keys()) {
      this.delete(key);
      return;
    }
  }
}

/** Counts what is in use by key, e.g. open connections. A key with count 0 takes no memory. */
export class Counts {
  readonly #counts = new Map<string, number>();
  #total = 0;

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  get total(): number {
    return this.#total;
  }

  get size(): number {
    return this.#counts.size;
  }

  keys(): Iterable<string> {
    return this.#counts.keys();
  }

  add(key: string, change: number): void {
    this.set(key, this.of(key) + change);
  }

  set(key: string, count: number): void {
    this.#total += count - this.of(key);
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}

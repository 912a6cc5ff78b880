/** Counts by key of what is in use now, e.g. open connections. A key without a count takes no memory. */
export class Counts {
  readonly #counts = new Map<string, number>();
  #total = 0;

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** Sum over all keys. */
  get total(): number {
    return this.#total;
  }

  /** Number of keys with a count. */
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

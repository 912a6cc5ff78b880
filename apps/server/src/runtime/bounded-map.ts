/** A map of at most `max` entries. Setting a key makes it the newest; a new key evicts the oldest of a full map. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #max: number;

  /** @param max maximum number of entries, one or more */
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

/** A map of at most `max` entries: what is set becomes the newest, and the oldest makes room for it. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #max: number;

  /** @param max one or more */
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

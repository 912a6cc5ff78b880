/**
 * A Set and a Map for members that live for milliseconds, e.g. connections.
 *
 * When V8 replaces the table of a Set or Map, the former table keeps a reference to the new one. If a former table is in
 * the old generation, all later tables and the members they once had stay in memory until the whole heap is collected;
 * in a Set of sessions that is all that a session refers to
 * (docs/decisions/2026-11-25-tables-of-short-lived-members.md). Here, after every few additions, the members are copied
 * to a new Set or Map, to which the former has no reference.
 */

/** Minimum additions to a Set or Map before it is replaced. */
const RENEW_AFTER = 64;

/** Counts additions. @returns whether it is time to replace a Set or Map of this size */
class Additions {
  #count = 0;

  isRenewedAt(size: number): boolean {
    if (++this.#count <= RENEW_AFTER || this.#count <= 2 * size) return false;
    this.#count = 0;
    return true;
  }
}

/** Iterates in the order of addition. A member that is added during an iteration may be left out of it. */
export class ShortLivedSet<T> implements Iterable<T> {
  #members = new Set<T>();
  readonly #additions = new Additions();

  get size(): number {
    return this.#members.size;
  }

  add(member: T): void {
    if (this.#additions.isRenewedAt(this.size)) this.#members = new Set(this.#members);
    this.#members.add(member);
  }

  has(member: T): boolean {
    return this.#members.has(member);
  }

  delete(member: T): boolean {
    return this.#members.delete(member);
  }

  clear(): void {
    this.#members = new Set();
  }

  [Symbol.iterator](): SetIterator<T> {
    return this.#members[Symbol.iterator]();
  }
}

/** Iterates in the order of addition. An entry that is added during an iteration may be left out of it. */
export class ShortLivedMap<K, V> implements Iterable<[K, V]> {
  #entries = new Map<K, V>();
  readonly #additions = new Additions();

  get size(): number {
    return this.#entries.size;
  }

  set(key: K, value: V): void {
    if (this.#additions.isRenewedAt(this.size)) this.#entries = new Map(this.#entries);
    this.#entries.set(key, value);
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  delete(key: K): boolean {
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries = new Map();
  }

  keys(): MapIterator<K> {
    return this.#entries.keys();
  }

  values(): MapIterator<V> {
    return this.#entries.values();
  }

  [Symbol.iterator](): MapIterator<[K, V]> {
    return this.#entries[Symbol.iterator]();
  }
}

/**
 * Counts, by key, of what is in use now (e.g. open connections) in this worker and in the others. Each worker publishes
 * its own counts as absolute numbers, not as differences, so that a worker that starts later needs no history and a
 * repeated message changes nothing. Counts of zero take no memory.
 */
import { ShortLivedMap, ShortLivedSet } from "../short-lived.ts";
import { apportion, type WorkerCount } from "./apportion.ts";

/**
 * Maximum keys stored for each other worker. Further keys are ignored, so limits on them allow more than they should.
 */
const KEYS_MAX = 50_000;

interface Member {
  counts: Map<string, number>;
  total: number;
}

/** Publisher of this worker's changes; absent when there is no other worker. */
interface Publisher {
  self: number;
  /** Called at the first change after `takeChanges`; further ones wait to be published together with it. */
  onChange(): void;
}

export class SharedCounts {
  readonly #publisher: Publisher | null;
  readonly #own = new ShortLivedMap<string, number>();
  #ownTotal = 0;
  readonly #members = new Map<number, Member>();
  /** Count of each key, summed over all other workers. */
  readonly #others = new Map<string, number>();
  #othersTotal = 0;
  /** Number of keys that have a count both in this worker and in another. */
  #common = 0;
  /** This worker's counts as they were last published. */
  readonly #published = new Map<string, number>();
  readonly #changed = new ShortLivedSet<string>();
  #isWithheld: ((key: string) => boolean) | null = null;

  constructor(publisher: Publisher | null = null) {
    this.#publisher = publisher;
  }

  /** Number counted for a key in this worker. */
  own(key: string): number {
    return this.#own.get(key) ?? 0;
  }

  /** Number counted for a key in the other workers. */
  others(key: string): number {
    return this.#others.get(key) ?? 0;
  }

  /** Number counted for a key over all workers. */
  all(key: string): number {
    return this.own(key) + this.others(key);
  }

  /** Number of workers that have a count of the key; this one is always included. */
  workers(key: string): number {
    let workers = 1;
    for (const { counts } of this.#members.values()) if (counts.has(key)) workers++;
    return workers;
  }

  /** Sum of the counts of all keys, over all workers. */
  get total(): number {
    return this.#ownTotal + this.#othersTotal;
  }

  /** Number of keys with a count, over all workers. */
  get size(): number {
    return this.#own.size + this.#others.size - this.#common;
  }

  /** Keys with a count in any worker. */
  keys(): Set<string> {
    return new Set([...this.#own.keys(), ...this.#others.keys()]);
  }

  add(key: string, change: number): void {
    this.set(key, this.own(key) + change);
  }

  set(key: string, count: number): void {
    const before = this.own(key);
    if (count === before) return;
    this.#ownTotal += count - before;
    if (count > 0) this.#own.set(key, count);
    else this.#own.delete(key);
    if (this.#publisher === null) return;
    if (before === 0 || count === 0) this.#common += this.#others.has(key) ? Math.sign(count - before) : 0;
    if (this.#isWithheld !== null && !this.#published.has(key) && this.#isWithheld(key)) return;
    this.#note(key);
  }

  /**
   * Leaves keys unpublished whose counts the other workers do not need.
   * @param isWithheld whether a key is left unpublished. When that changes without a change of the count, call `publish`
   */
  withhold(isWithheld: (key: string) => boolean): void {
    this.#isWithheld = isWithheld;
  }

  /**
   * Publishes a key only once its count in this worker is at least a 64th of the limit, so that the many parties far
   * below their limits cause no messages. What n workers together leave unpublished is less than n 64ths of the limit.
   */
  withholdBelow(limit: number): void {
    const most = limit / 64;
    this.withhold((key) => this.own(key) < most);
  }

  /** Publishes the count of a key that was left unpublished until now. */
  publish(key: string): void {
    if (this.#publisher !== null && this.#own.has(key)) this.#note(key);
  }

  #note(key: string): void {
    this.#changed.add(key);
    if (this.#changed.size === 1) this.#publisher?.onChange();
  }

  /** Replaces all counts of this worker. */
  replace(counts: ReadonlyMap<string, number>): void {
    for (const key of this.#own.keys()) if (!counts.has(key)) this.set(key, 0);
    for (const [key, count] of counts) this.set(key, count);
  }

  /** Part of this worker's count that may stay, so that all workers together keep at most `limit` of this key. */
  part(key: string, limit: number): number {
    return this.#apportion(limit, this.own(key), ({ counts }) => counts.get(key) ?? 0);
  }

  /** Part of this worker's total over all keys that may stay, so that all workers together keep at most `limit`. */
  partOfTotal(limit: number): number {
    return this.#apportion(limit, this.#ownTotal, ({ total }) => total);
  }

  /** @returns unpublished changes of this worker: keys with their new counts, which then are the published ones */
  takeChanges(): (readonly [key: string, count: number])[] {
    const changes: (readonly [string, number])[] = [];
    for (const key of this.#changed) {
      const count = this.own(key);
      if (count === (this.#published.get(key) ?? 0)) continue;
      if (count === 0) this.#published.delete(key);
      else this.#published.set(key, count);
      changes.push([key, count]);
    }
    this.#changed.clear();
    return changes;
  }

  /** This worker's counts as they were last published. */
  published(): Iterable<readonly [key: string, count: number]> {
    return this.#published;
  }

  /** Stores a count that another worker published. */
  receive(from: number, key: string, count: number): void {
    const member = this.#members.get(from) ?? { counts: new Map<string, number>(), total: 0 };
    const before = member.counts.get(key) ?? 0;
    if (count === before || (before === 0 && member.counts.size >= KEYS_MAX)) return;
    this.#members.set(from, member);
    if (count === 0) member.counts.delete(key);
    else member.counts.set(key, count);
    member.total += count - before;
    this.#addOthers(key, count - before);
  }

  /** Removes the counts of another worker, which has ended. */
  forget(from: number): void {
    const member = this.#members.get(from);
    if (member === undefined) return;
    this.#members.delete(from);
    for (const [key, count] of member.counts) this.#addOthers(key, -count);
  }

  #addOthers(key: string, change: number): void {
    const before = this.others(key);
    const count = before + change;
    this.#othersTotal += change;
    if (count > 0) this.#others.set(key, count);
    else this.#others.delete(key);
    if (this.#own.has(key) && (before === 0 || count === 0)) this.#common += Math.sign(change);
  }

  #apportion(limit: number, count: number, countOf: (member: Member) => number): number {
    if (this.#publisher === null) return Math.min(count, limit);
    const others: WorkerCount[] = [...this.#members].map(([worker, member]) => ({ worker, count: countOf(member) }));
    return apportion(limit, { worker: this.#publisher.self, count }, others);
  }
}

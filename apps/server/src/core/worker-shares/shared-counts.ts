/**
 * Counts by key of what is in use now, here and in the other workers. Each worker's own counts are published as they
 * are, not as differences, so that a worker that starts later learns them at once and a repeated message changes
 * nothing. Counts of zero take no memory.
 */
import { apportion, type WorkerCount } from "./apportion.ts";

/** Maximum keys remembered of one other worker; those beyond it are ignored, which can only allow more. */
const KEYS_MAX = 50_000;

interface Member {
  counts: Map<string, number>;
  total: number;
}

/** How changes are published; absent when there is no other worker. */
interface Publisher {
  self: number;
  /** Called at a change while nothing else waits to be published. */
  onChange(): void;
}

export class SharedCounts {
  readonly #publisher: Publisher | null;
  readonly #own = new Map<string, number>();
  #ownTotal = 0;
  readonly #members = new Map<number, Member>();
  /** Sums over all other workers. */
  readonly #others = new Map<string, number>();
  #othersTotal = 0;
  /** Number of keys that are counted both here and elsewhere. */
  #common = 0;
  /** Own counts as the other workers know them. */
  readonly #published = new Map<string, number>();
  readonly #changed = new Set<string>();
  #isSkipped: ((key: string) => boolean) | null = null;

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

  /** Number of workers, with this one, that count a key. */
  workers(key: string): number {
    let workers = 1;
    for (const { counts } of this.#members.values()) if (counts.has(key)) workers++;
    return workers;
  }

  /** Sum of all counts over all workers. */
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
    if (this.#isSkipped !== null && !this.#published.has(key) && this.#isSkipped(key)) return;
    this.#note(key);
  }

  /**
   * Publishes only keys that matter to others.
   * @param isSkipped whether a key is not published; `publish` is to be called when it no longer is
   */
  skip(isSkipped: (key: string) => boolean): void {
    this.#isSkipped = isSkipped;
  }

  /**
   * Publishes only keys of which a worker has at least a 64th of their limit. Most parties are far below their limits, and
   * cause no messages; what all workers together withhold is their number in 64ths of the limit.
   */
  skipBelow(limit: number): void {
    const most = limit / 64;
    this.skip((key) => this.own(key) < most);
  }

  /** Publishes the count of a key that was skipped. */
  publish(key: string): void {
    if (this.#publisher !== null && this.#own.has(key)) this.#note(key);
  }

  #note(key: string): void {
    this.#changed.add(key);
    if (this.#changed.size === 1) this.#publisher?.onChange();
  }

  /** Sets all counts of this worker. */
  replace(counts: ReadonlyMap<string, number>): void {
    for (const key of this.#own.keys()) if (!counts.has(key)) this.set(key, 0);
    for (const [key, count] of counts) this.set(key, count);
  }

  /** How many of those counted here may stay, so that all workers together keep at most `limit` of this key. */
  part(key: string, limit: number): number {
    return this.#apportion(limit, this.own(key), ({ counts }) => counts.get(key) ?? 0);
  }

  /** Like `part`, over all keys. */
  partOfTotal(limit: number): number {
    return this.#apportion(limit, this.#ownTotal, ({ total }) => total);
  }

  /** @returns keys whose count changed since the last call, with their counts */
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

  /** Own counts as the other workers know them. */
  published(): Iterable<readonly [key: string, count: number]> {
    return this.#published;
  }

  /** Sets the count of another worker. */
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

  /** Forgets the counts of a worker that ended. */
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

/**
 * Counts the memory of messages whose sender was answered while attempts still run. Limited in total and per party
 * (account, destination); messages are evicted for new mail when the budget is nearly full. An evicted
 * message is on disk, and the delivery worker delivers it from there.
 */
import type { MemoryBudget } from "./memory-budget.ts";

export interface MemoryUse {
  bytes: number;
  /**
   * Accounts and destinations whose memory shares the bytes count against, e.g. `of <id>`, `to example.org`. More may
   * be added to the list later.
   */
  parties(): readonly string[];
  /** Evicts the message: stops the attempts that use its bytes, and drops the bytes at once. */
  evict(): void;
}

export interface BackgroundShares {
  /** Part of the memory budget that all background messages together may use. */
  all: number;
  /** Part of the budget that the background messages of one party may use. */
  party: number;
}

/** Messages whose sender is answered take at most half of the memory budget; the rest is for new mail. */
export const backgroundShares: BackgroundShares = { all: 1 / 2, party: 1 / 4 };

interface Held extends MemoryUse {
  since: number;
}

export class BackgroundMemory {
  readonly #budget: MemoryBudget;
  readonly #allBytes: number;
  readonly #partyBytes: number;
  readonly #now: () => number;
  /** Background messages, oldest first. */
  readonly #held = new Set<Held>();
  #usedBytes = 0;

  constructor(budget: MemoryBudget, shares = backgroundShares, now: () => number = () => performance.now()) {
    this.#budget = budget;
    this.#allBytes = budget.limitBytes * shares.all;
    this.#partyBytes = budget.limitBytes * shares.party;
    this.#now = now;
    budget.onPressure((bytes) => this.#evictFor(bytes));
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /**
   * Counts the bytes of a message that is already in memory. Evicts messages, possibly this one, when a share or the
   * total is exceeded.
   * @returns function that releases the bytes
   */
  hold(use: MemoryUse): () => void {
    const held = this.#add(use);
    if (this.#isOverShare(held, 0)) this.#evict(held);
    else this.#makeRoom(0, held);
    return () => this.#release(held);
  }

  /**
   * Reserves memory for the bytes of a message to be loaded.
   * @returns function that releases the bytes; `null` when a share or the total is used up
   */
  take(use: MemoryUse): (() => void) | null {
    if (this.#isOverShare(use, use.bytes)) return null;
    this.#makeRoom(use.bytes, null);
    if (this.#usedBytes + use.bytes > this.#allBytes && this.#held.size > 0) return null;
    const held = this.#add(use);
    return () => this.#release(held);
  }

  #add(use: MemoryUse): Held {
    const held: Held = {
      bytes: use.bytes,
      parties: () => use.parties(),
      evict: () => use.evict(),
      since: this.#now(),
    };
    this.#held.add(held);
    this.#budget.hold(held.bytes);
    this.#usedBytes += held.bytes;
    return held;
  }

  /** Evicts messages for new mail, because they are on disk already. */
  #evictFor(bytes: number): void {
    const untilBytes = this.#usedBytes - bytes;
    for (const held of largestUsersFirst(this.#held, this.#now())) {
      if (this.#usedBytes <= untilBytes) return;
      this.#evict(held);
    }
  }

  #release(held: Held): void {
    if (!this.#held.delete(held)) return;
    this.#budget.give(held.bytes);
    this.#usedBytes -= held.bytes;
  }

  #evict(held: Held): void {
    this.#release(held);
    held.evict();
  }

  /** A party without other messages may exceed its share with one. */
  #isOverShare(use: MemoryUse, addedBytes: number): boolean {
    // No party is over its share while the messages of all parties together would fit into one share.
    if (this.#usedBytes + addedBytes <= this.#partyBytes) return false;
    const own = new Set(use.parties());
    const used = new Map<string, number>();
    for (const held of this.#held) {
      if (held === use) continue;
      for (const party of held.parties()) if (own.has(party)) used.set(party, (used.get(party) ?? 0) + held.bytes);
    }
    return [...used.values()].some((bytes) => bytes + use.bytes > this.#partyBytes);
  }

  /** Evicts messages of the parties that used most memory for the longest time until the rest fits. */
  #makeRoom(addedBytes: number, newest: Held | null): void {
    const untilBytes = this.#allBytes - addedBytes;
    if (this.#usedBytes <= untilBytes) return;
    for (const held of largestUsersFirst(this.#held, this.#now())) {
      if (this.#usedBytes <= untilBytes) return;
      if (held !== newest) this.#evict(held);
    }
    if (newest !== null && this.#usedBytes > untilBytes && this.#held.size > 1) this.#evict(newest);
  }
}

/** Sorts by memory that the parties used so far, bytes times time, largest first; within a party oldest first. Pure. */
export function largestUsersFirst<T extends { bytes: number; since: number; parties(): readonly string[] }>(
  uses: Iterable<T>,
  now: number,
): T[] {
  const all = [...uses].map((use) => ({ use, parties: use.parties(), age: now - use.since }));
  const byParty = new Map<string, number>();
  for (const { use, parties, age } of all)
    for (const party of parties) byParty.set(party, (byParty.get(party) ?? 0) + use.bytes * age);
  const weight = (parties: readonly string[]) => Math.max(0, ...parties.map((it) => byParty.get(it) ?? 0));
  return all
    .map(({ use, parties, age }) => ({ use, age, weight: weight(parties) }))
    .sort((a, b) => b.weight - a.weight || b.age - a.age)
    .map(({ use }) => use);
}

/** Budgets of message bytes in memory, and of operator mail. When one is full, the parties that use most lose first. */
import { Counts } from "../runtime/maps.ts";
import type { ClientParty } from "./party.ts";
import { bounds } from "./table.ts";

type Relief = (bytes: number) => void;

/** Used part of a budget above which its callbacks free memory. */
const PRESSURE_PART = 7 / 8;

/** A budget, or one party's part of another. When it is used up, senders must retry later. */
export class MemoryBudget {
  readonly limitBytes: number;
  readonly #whole: MemoryBudget | null;
  readonly #reliefs = new Set<Relief>();
  #usedBytes = 0;

  /** @param whole budget that this one is a part of */
  constructor(limitBytes: number, whole: MemoryBudget | null = null) {
    this.limitBytes = limitBytes;
    this.#whole = whole;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** @param relief called when the budget is nearly full @returns function that removes the callback */
  onPressure(relief: Relief): () => void {
    this.#reliefs.add(relief);
    return () => this.#reliefs.delete(relief);
  }

  /** @returns false, taking nothing, when the bytes do not fit */
  take(bytes: number): boolean {
    if (this.#reliefs.size > 0) this.#relieve(bytes);
    if (this.#usedBytes + bytes > this.limitBytes || this.#whole?.take(bytes) === false) return false;
    this.#usedBytes += bytes;
    return true;
  }

  /** Counts bytes already in memory, even over the limit; new mail then has to wait. */
  hold(bytes: number): void {
    this.#usedBytes += bytes;
    this.#whole?.hold(bytes);
  }

  give(bytes: number): void {
    this.#usedBytes -= bytes;
    this.#whole?.give(bytes);
  }

  #relieve(bytes: number): void {
    const most = this.limitBytes * PRESSURE_PART - bytes;
    for (const relief of this.#reliefs) {
      const wanted = this.#usedBytes - most;
      if (wanted <= 0) return;
      relief(wanted);
    }
  }
}

interface ClientShares {
  budget: MemoryBudget;
  maxBytesPerAddress: number;
  maxBytesPerBlock?: number;
}

/** Budgets of connected clients: a network's is part of its block's, which is part of the total. */
export class ClientBudgets {
  readonly #shares: ClientShares;
  readonly #clients = new Map<string, { connections: number; budget: MemoryBudget }>();

  constructor(shares: ClientShares) {
    this.#shares = shares;
  }

  /** @returns the budget of the party's connection; call `leave` when it ends */
  enter({ network, block }: ClientParty): MemoryBudget {
    const { budget, maxBytesPerAddress, maxBytesPerBlock = maxBytesPerAddress } = this.#shares;
    const ofBlock = this.#enter(`block ${block}`, maxBytesPerBlock, budget);
    return this.#enter(`network ${network}`, maxBytesPerAddress, ofBlock);
  }

  leave({ network, block }: ClientParty): void {
    for (const key of [`network ${network}`, `block ${block}`]) {
      const client = this.#clients.get(key);
      if (client !== undefined && --client.connections === 0) this.#clients.delete(key);
    }
  }

  #enter(key: string, maxBytes: number, whole: MemoryBudget): MemoryBudget {
    const client = this.#clients.get(key) ?? { connections: 0, budget: new MemoryBudget(maxBytes, whole) };
    this.#clients.set(key, client);
    client.connections++;
    return client.budget;
  }
}

export interface MemoryUse {
  bytes: number;
  /** Accounts and destinations that the bytes count against, e.g. `of <id>`, `to example.org`. May grow. */
  parties(): readonly string[];
  /** Stops the attempts that use the bytes, and drops the bytes. */
  evict(): void;
}

interface BackgroundShares {
  all: number;
  party: number;
}

const { allPart, accountPart } = bounds.backgroundMessages;

interface Held extends MemoryUse {
  since: number;
}

/** Memory of messages whose sender has the reply while attempts still run. Evicted ones are delivered from disk. */
export class BackgroundMemory {
  readonly #budget: MemoryBudget;
  readonly #allBytes: number;
  readonly #partyBytes: number;
  readonly #now: () => number;
  /** Background messages, oldest first. */
  readonly #held = new Set<Held>();
  #usedBytes = 0;

  constructor(
    budget: MemoryBudget,
    shares: BackgroundShares = { all: allPart, party: accountPart },
    now: () => number = () => performance.now(),
  ) {
    this.#budget = budget;
    this.#allBytes = budget.limitBytes * shares.all;
    this.#partyBytes = budget.limitBytes * shares.party;
    this.#now = now;
    budget.onPressure((bytes) => this.#evictFor(bytes));
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Counts a message already in memory; may evict any, even this one. @returns function that releases the bytes */
  hold(use: MemoryUse): () => void {
    const held = this.#add(use);
    if (this.#isOverShare(held, 0)) this.#evict(held);
    else this.#makeRoom(0, held);
    return () => this.#release(held);
  }

  /** Reserves memory before loading. @returns function that releases the bytes; `null` when a budget is used up */
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

  /** Evicts messages for new mail, because their bytes are on disk. */
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

  /** A party may exceed its share with a single message. */
  #isOverShare(use: MemoryUse, addedBytes: number): boolean {
    // No party is over its share while all messages together would fit into one share.
    if (this.#usedBytes + addedBytes <= this.#partyBytes) return false;
    const own = new Set(use.parties());
    const used = new Counts();
    for (const held of this.#held)
      if (held !== use) for (const party of held.parties()) if (own.has(party)) used.add(party, held.bytes);
    return [...own].some((party) => used.of(party) > 0 && used.of(party) + use.bytes > this.#partyBytes);
  }

  /** Evicts from the parties that used most memory for the longest time until the rest fits. */
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

/** Sorts uses by their party's bytes times time, largest first; within a party oldest first. */
export function largestUsersFirst<T extends { bytes: number; since: number; parties(): readonly string[] }>(
  uses: Iterable<T>,
  now: number,
): T[] {
  const all = [...uses].map((use) => ({ use, parties: use.parties(), age: now - use.since }));
  const used = new Counts();
  for (const { use, parties, age } of all) for (const party of parties) used.add(party, use.bytes * age);
  const weightOf = (parties: readonly string[]) => Math.max(0, ...parties.map((party) => used.of(party)));
  return all
    .map(({ use, parties, age }) => ({ use, age, weight: weightOf(parties) }))
    .sort((a, b) => b.weight - a.weight || b.age - a.age)
    .map(({ use }) => use);
}

export interface OperatorMail<Id> {
  id: Id;
  sizeBytes: number;
  /** Keyed hashes of the sender's network and block, in hex; empty if unknown. */
  network: string;
  block: string;
}

/** Chooses the oldest mail of the heaviest network of the heaviest block. @param stored oldest first */
export function chooseEvicted<Id>(
  stored: readonly OperatorMail<Id>[],
  most: { messages: number; bytes: number } = bounds.operatorMail,
): Id[] {
  const left = [...stored];
  let bytes = left.reduce((sum, mail) => sum + mail.sizeBytes, 0);
  const evicted: Id[] = [];
  const heaviest = (mails: readonly OperatorMail<Id>[], party: "block" | "network") => {
    const weights = new Counts();
    for (const mail of mails) weights.add(mail[party], 1 / most.messages + mail.sizeBytes / most.bytes);
    const key = [...weights.keys()].reduce((one, other) => (weights.of(other) > weights.of(one) ? other : one));
    return mails.filter((mail) => mail[party] === key);
  };
  while (left.length > most.messages || bytes > most.bytes) {
    const [oldest] = heaviest(heaviest(left, "block"), "network");
    if (oldest === undefined) break;
    left.splice(left.indexOf(oldest), 1);
    bytes -= oldest.sizeBytes;
    evicted.push(oldest.id);
  }
  return evicted;
}

/**
 * Transactions whose sender waits for destinations. When memory gets short they are answered early, those first whose accounts
 * held most of it for the longest time: what is open goes to the spool, and the bytes are given back.
 */
import { hoggingFirst } from "../../background-memory.ts";
import type { MemoryBudget } from "../../memory-budget.ts";

export interface WaitingTransaction {
  bytes: number;
  parties(): readonly string[];
  /** Ends the wait. */
  answer(): void;
}

interface Entry extends WaitingTransaction {
  since: number;
  isLeaving: boolean;
}

/** Destinations have this long before anybody is answered early. */
const MIN_WAIT_MS = 250;
/** Pressure is told of at every chunk that comes in. */
const LOOK_EVERY_MS = 50;

export class WaitingTransactions {
  readonly #entries = new Set<Entry>();
  readonly #now: () => number;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(budget: Pick<MemoryBudget, "onPressure">, now: () => number = () => performance.now()) {
    this.#now = now;
    budget.onPressure((bytes) => this.#relieve(bytes));
  }

  /** @returns call when its bytes are given back */
  add(transaction: WaitingTransaction): () => void {
    const entry: Entry = Object.assign(transaction, { since: this.#now(), isLeaving: false });
    this.#entries.add(entry);
    return () => this.#entries.delete(entry);
  }

  #relieve(bytes: number): void {
    const now = this.#now();
    if (now - this.#lookedAt < LOOK_EVERY_MS) return;
    this.#lookedAt = now;
    const entries = [...this.#entries];
    let wanted = bytes;
    for (const entry of entries) if (entry.isLeaving) wanted -= entry.bytes;
    for (const entry of hoggingFirst(entries, now)) {
      if (wanted <= 0) return;
      if (entry.isLeaving || now - entry.since < MIN_WAIT_MS) continue;
      entry.isLeaving = true;
      wanted -= entry.bytes;
      entry.answer();
    }
  }
}

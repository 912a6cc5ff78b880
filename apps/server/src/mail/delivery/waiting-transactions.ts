/**
 * Transactions whose sender waits for destinations. When memory gets short some are answered early, first those whose
 * account or destination used most memory for longest: their open deliveries go to the spool, and the bytes are freed.
 */
import { largestUsersFirst } from "../background-memory.ts";
import type { MemoryBudget } from "../memory-budget.ts";

export interface WaitingTransaction {
  bytes: number;
  parties(): readonly string[];
  /** Ends the wait, so that the sender is answered. */
  answer(): void;
}

interface Entry extends WaitingTransaction {
  since: number;
  isEnding: boolean;
}

/** Milliseconds a transaction waits for its destinations before it may be answered early. */
const MIN_WAIT_MS = 250;
/** Minimum milliseconds between two reactions to memory pressure, which is signalled for every incoming chunk. */
const RELIEF_SPACING_MS = 50;

export class WaitingTransactions {
  readonly #entries = new Set<Entry>();
  readonly #now: () => number;
  #relievedAt = Number.NEGATIVE_INFINITY;

  constructor(budget: Pick<MemoryBudget, "onPressure">, now: () => number = () => performance.now()) {
    this.#now = now;
    budget.onPressure((bytes) => this.#relieve(bytes));
  }

  /**
   * Adds a transaction whose sender waits.
   * @returns function to call when the transaction's bytes have been released
   */
  add(transaction: WaitingTransaction): () => void {
    const entry: Entry = Object.assign(transaction, { since: this.#now(), isEnding: false });
    this.#entries.add(entry);
    return () => this.#entries.delete(entry);
  }

  #relieve(bytes: number): void {
    const now = this.#now();
    if (now - this.#relievedAt < RELIEF_SPACING_MS) return;
    this.#relievedAt = now;
    const entries = [...this.#entries];
    let wanted = bytes;
    for (const entry of entries) if (entry.isEnding) wanted -= entry.bytes;
    for (const entry of largestUsersFirst(entries, now)) {
      if (wanted <= 0) return;
      if (entry.isEnding || now - entry.since < MIN_WAIT_MS) continue;
      entry.isEnding = true;
      wanted -= entry.bytes;
      entry.answer();
    }
  }
}

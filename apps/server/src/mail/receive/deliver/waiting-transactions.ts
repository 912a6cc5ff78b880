/**
 * Transactions whose sender waits for destinations. When memory gets short some are answered early, first those whose
 * accounts used most memory for the longest time: open deliveries go to the spool, and the bytes are released.
 */
import { hoggingFirst } from "../../background-memory.ts";
import type { MemoryBudget } from "../../memory-budget.ts";

export interface WaitingTransaction {
  bytes: number;
  parties(): readonly string[];
  /** Ends the wait, so that the sender is answered. */
  answer(): void;
}

interface Entry extends WaitingTransaction {
  since: number;
  isLeaving: boolean;
}

/** Milliseconds a transaction waits for its destinations before it may be answered early. */
const MIN_WAIT_MS = 250;
/** Minimum milliseconds between two reactions to memory pressure, which is signalled for every incoming chunk. */
const LOOK_EVERY_MS = 50;

export class WaitingTransactions {
  readonly #entries = new Set<Entry>();
  readonly #now: () => number;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(budget: Pick<MemoryBudget, "onPressure">, now: () => number = () => performance.now()) {
    this.#now = now;
    budget.onPressure((bytes) => this.#relieve(bytes));
  }

  /** @returns function to call when the transaction's bytes have been released */
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

/**
 * Deliveries waiting for unreachable destinations. Once one takes a message they become due, a batch at a time, instead
 * of at their next retry, which may be half a day away. Bounded, and forgotten at a restart.
 */
import type { DeliveryOutcome, FailureCode } from "../../core/delivery/delivery.ts";

export interface WaitingLimits {
  all: number;
  destination: number;
}

export const waitingLimits: WaitingLimits = { all: 100_000, destination: 5000 };

/** Each of them that is taken makes the next batch due. */
const BATCH_SIZE = 50;
/** A destination has only just come back. */
const BATCH_EVERY_MS = 1000;

/** Not the replies of a host, which concern the message or mailbox. */
const unreached: ReadonlySet<FailureCode> = new Set<FailureCode>([
  "unreachable",
  "timed_out",
  "connection_lost",
  "dns_failed",
  "tls_failed",
]);

interface Waiting {
  ids: Set<string>;
  lastBatchAt: number;
}

export class WaitingMail {
  readonly #limits: WaitingLimits;
  readonly #now: () => number;
  /** Last added to last. */
  readonly #destinations = new Map<string, Waiting>();
  #size = 0;

  constructor(limits: WaitingLimits = waitingLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  get size(): number {
    return this.#size;
  }

  /** @returns ids of deliveries to make due now, because their destination is reachable again */
  note(destination: string, deliveryId: string, outcome: DeliveryOutcome): string[] {
    if (outcome.kind === "deferred" && !outcome.isUntried && unreached.has(outcome.failure.code)) {
      this.#add(destination, deliveryId);
      return [];
    }
    if (this.#size > 0) this.#remove(destination, deliveryId);
    if (outcome.kind !== "taken") return [];
    return this.#size > 0 ? this.#batch(destination) : [];
  }

  #add(destination: string, id: string): void {
    const known = this.#destinations.get(destination) ?? {
      ids: new Set<string>(),
      lastBatchAt: Number.NEGATIVE_INFINITY,
    };
    if (known.ids.has(id) || known.ids.size >= this.#limits.destination) return;
    if (this.#size >= this.#limits.all) this.#evictLargest();
    known.ids.add(id);
    this.#size++;
    this.#destinations.delete(destination);
    this.#destinations.set(destination, known);
  }

  #evictLargest(): void {
    let largest: [string, Waiting] | null = null;
    for (const entry of this.#destinations)
      if (largest === null || entry[1].ids.size > largest[1].ids.size) largest = entry;
    if (largest === null) return;
    this.#size -= largest[1].ids.size;
    this.#destinations.delete(largest[0]);
  }

  #remove(destination: string, id: string): void {
    const known = this.#destinations.get(destination);
    if (known?.ids.delete(id) !== true) return;
    this.#size--;
    if (known.ids.size === 0) this.#destinations.delete(destination);
  }

  #batch(destination: string): string[] {
    const known = this.#destinations.get(destination);
    const now = this.#now();
    if (known === undefined || now - known.lastBatchAt < BATCH_EVERY_MS) return [];
    known.lastBatchAt = now;
    const ids = [...known.ids].slice(0, BATCH_SIZE);
    for (const id of ids) this.#remove(destination, id);
    return ids;
  }
}

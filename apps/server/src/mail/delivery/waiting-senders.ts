/** Senders that wait for destinations. When memory is short, the largest users get their reply early. */

import { largestUsersFirst, type MemoryBudget } from "../../limits/bytes.ts";
import type { ShutdownSignal } from "../../runtime/shutdown-signal.ts";

export interface WaitingSendersDeps {
  budget: Pick<MemoryBudget, "onPressure">;
  budgetMs: number;
  shutdown: ShutdownSignal;
  now?: () => number;
}

export interface MessageInMemory {
  bytes: number;
  /** Accounts and destinations that the bytes count against. */
  parties(): readonly string[];
}

interface Entry extends MessageInMemory {
  since: number;
  isEnding: boolean;
  end(): void;
}

const SHUTDOWN_BUDGET_MS = 500;
/** Milliseconds before memory pressure may end a wait. */
const MIN_WAIT_MS = 250;
/** Milliseconds between reactions to memory pressure, which every incoming chunk signals. */
const RELIEF_SPACING_MS = 50;

export class WaitingSenders {
  readonly #entries = new Set<Entry>();
  readonly #deps: WaitingSendersDeps;
  readonly #now: () => number;
  #relievedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: WaitingSendersDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? (() => performance.now());
    deps.budget.onPressure((bytes) => this.#relieve(bytes));
  }

  /** At most `budgetMs`, less when memory is short. @returns function to call when the message's bytes are released */
  async wait(attempts: readonly Promise<unknown>[], message: MessageInMemory): Promise<() => void> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const entry: Entry = { ...message, since: this.#now(), isEnding: false, end };
    this.#entries.add(entry);
    const { shutdown, budgetMs } = this.#deps;
    let lastTimer: NodeJS.Timeout | undefined;
    const timer = setTimeout(end, shutdown.isShuttingDown ? SHUTDOWN_BUDGET_MS : budgetMs);
    const stopListening = shutdown.onShutdown(() => (lastTimer = setTimeout(end, SHUTDOWN_BUDGET_MS)));
    void Promise.all(attempts).then(() => end());
    await ended;
    clearTimeout(timer);
    clearTimeout(lastTimer);
    stopListening();
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
      entry.end();
    }
  }
}

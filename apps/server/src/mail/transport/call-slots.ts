/**
 * Limits concurrent outgoing calls: in total for this process, and per account and per host over all workers. Others
 * wait in a queue that serves accounts in turn. A worker that makes no call for an account, or to a host, is not held
 * up by that account's or host's limit, since it would otherwise wait for calls of other workers.
 */
import { FairLine } from "../../core/fair-queue/fair-line.ts";
import type { SharedCounts } from "../../core/worker-shares/shared-counts.ts";
import { onlyWorker, type WorkerShares } from "../../core/worker-shares/worker-shares.ts";
import type { AttemptSignal } from "./transport.ts";

export interface CallParties {
  /** Account, or another party the call is made for. */
  party: string;
  /** Host name of the URL. */
  host: string;
}

export interface Slot {
  /** Releases the slot; must be called exactly once. */
  free(): void;
}

export const callLimits = { all: 200, party: 8, host: 20, waiting: 1000, waitingOfParty: 64 };

interface Waiting extends CallParties {
  give: (slot: Slot | null) => void;
}

export class CallSlots {
  readonly #limits: typeof callLimits;
  readonly #counts: SharedCounts;
  readonly #waiting: FairLine<Waiting>;
  #taken = 0;
  #isClosed = false;

  constructor(limits = callLimits, shares: WorkerShares = onlyWorker) {
    this.#limits = limits;
    this.#counts = shares.counts("calls");
    this.#waiting = new FairLine({ all: limits.waiting, party: limits.waitingOfParty });
  }

  /** Waits for a slot. @returns `null` when the signal aborts, too many calls wait, or `close` was called */
  async take(parties: CallParties, signal?: AttemptSignal): Promise<Slot | null> {
    if (this.#isClosed || signal?.aborted) return null;
    if (this.#hasSlot(parties)) return this.#slot(parties);
    return await this.#enqueue(parties, signal);
  }

  /** Fails all waiting calls. */
  close(): void {
    this.#isClosed = true;
    for (const waiting of this.#waiting.clear()) waiting.give(null);
  }

  #enqueue(parties: CallParties, signal: AttemptSignal | undefined): Promise<Slot | null> {
    return new Promise((resolve) => {
      const leave = () => {
        this.#waiting.delete(parties.party, waiting);
        waiting.give(null);
      };
      const waiting: Waiting = {
        ...parties,
        give: (slot) => {
          signal?.removeEventListener("abort", leave);
          signal?.wait?.(false);
          resolve(slot);
        },
      };
      signal?.addEventListener("abort", leave);
      signal?.wait?.(true);
      this.#waiting.push(parties.party, waiting)?.give(null);
    });
  }

  #hasSlot({ party, host }: CallParties): boolean {
    const { all, party: ofParty, host: toHost } = this.#limits;
    return this.#taken < all && this.#hasRoom(`of ${party}`, ofParty) && this.#hasRoom(`to ${host}`, toHost);
  }

  #hasRoom(key: string, most: number): boolean {
    return this.#counts.own(key) === 0 || this.#counts.all(key) < most;
  }

  #slot({ party, host }: CallParties): Slot {
    this.#counts.add(`of ${party}`, 1);
    this.#counts.add(`to ${host}`, 1);
    this.#taken++;
    return {
      free: () => {
        this.#counts.add(`of ${party}`, -1);
        this.#counts.add(`to ${host}`, -1);
        this.#taken--;
        const next = this.#waiting.size === 0 ? undefined : this.#waiting.shiftIf((it) => this.#hasSlot(it));
        next?.give(this.#slot(next));
      },
    };
  }
}

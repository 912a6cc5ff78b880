/** An exchange between workers of one test process, whose batches arrive some time after they were sent. */
import { vi } from "vitest";
import type { Clock } from "../ports.ts";
import { ExchangedShares } from "./exchanged-shares.ts";
import type { ShareBatch, ShareExchange } from "./share-exchange.ts";

import { onlyWorker, type WorkerShares } from "./worker-shares.ts";

interface Member {
  onBatch: ((from: number, batch: ShareBatch) => void)[];
  onGone: ((from: number) => void)[];
}

export class ConnectedExchanges {
  readonly #members = new Map<number, Member>();
  readonly #delayMs: number;
  /** Number of changes that all workers together have sent so far. */
  sent = 0;
  #next = 1;

  constructor(delayMs = 20) {
    this.#delayMs = delayMs;
  }

  join(): ShareExchange {
    const self = this.#next++;
    const own: Member = { onBatch: [], onGone: [] };
    this.#members.set(self, own);
    return {
      self,
      send: (batch) => {
        this.sent += batch.length;
        const copy = JSON.stringify(batch);
        setTimeout(() => this.#deliver(self, copy), this.#delayMs);
      },
      onBatch: (listener) => void own.onBatch.push(listener),
      onGone: (listener) => void own.onGone.push(listener),
    };
  }

  /** Ends a worker: it neither sends nor receives any more, and the other workers are notified. */
  end({ self }: ShareExchange): void {
    this.#members.delete(self);
    for (const { onGone } of this.#members.values()) for (const listener of onGone) listener(self);
  }

  #deliver(from: number, copy: string): void {
    if (!this.#members.has(from)) return;
    for (const [number, { onBatch }] of this.#members)
      if (number !== from) for (const listener of onBatch) listener(from, JSON.parse(copy) as ShareBatch);
  }
}

/** Milliseconds after which every worker knows what another counted: 25 to collect changes, 20 to deliver them. */
export const SHARED_AFTER_MS = 25 + 20;

/**
 * Makes workers that exchange their counts. With `isConnected` false they exchange nothing, as if each were the only
 * worker: in this control case a limit multiplies by the number of workers.
 */
export function connectedWorkers<T>(count: number, make: (shares: WorkerShares) => T, isConnected = true) {
  const all = new ConnectedExchanges();
  const start = () => {
    if (!isConnected) return { exchange: null, worker: make(onlyWorker) };
    const exchange = all.join();
    return { exchange, worker: make(new ExchangedShares(exchange)) };
  };
  const started = Array.from({ length: count }, start);
  return {
    workers: started.map(({ worker }) => worker),
    /** Starts one more worker. */
    start: () => start().worker,
    /** Ends a worker, by its index. */
    end(index: number): void {
      const exchange = started[index]?.exchange;
      if (exchange) all.end(exchange);
    },
    sent: () => all.sent,
  };
}

/** Clock that shows the time of Vitest's fake timers. */
export const fakedClock: Clock = { now: () => new Date(), steadyMs: () => performance.now() };

/** Advances the fake timers until every worker knows what the others counted. */
export const letWorkersKnow = () => void vi.advanceTimersByTime(3 * SHARED_AFTER_MS);

/** Milliseconds between two requests of a flood. */
const EVERY_MS = 2;
/** Requests of a flood that are made before every worker knows that an earlier one was counted. */
export const OVERSHOOT = Math.ceil(SHARED_AFTER_MS / EVERY_MS);

/**
 * Sends requests to workers in turn, as a party that spreads its connections over them. Needs fake timers.
 * @returns how many requests were admitted
 */
export function flood<T>(
  workers: readonly T[],
  requests: number,
  isAdmitted: (worker: T, request: number) => boolean,
): number {
  let admitted = 0;
  for (let request = 0; request < requests; request++) {
    if (isAdmitted(workers[request % workers.length] as T, request)) admitted++;
    vi.advanceTimersByTime(EVERY_MS);
  }
  return admitted;
}

/** Concurrent outgoing calls, limited in total, per account, and per host by `Places` (limits/slots.ts). */

import { type PlaceParty, Places, turnOf } from "../../limits/slots.ts";
import { bounds } from "../../limits/table.ts";
import { FairLine } from "../../runtime/fair-queue/fair-line.ts";
import { Counts } from "../../runtime/maps.ts";
import type { OngoingAttempt } from "./transport.ts";

export interface Slot {
  free(): void;
}

type CallLimits = typeof bounds.webhookCalls;

/** Milliseconds between checks for waiting calls of accounts that may exceed a host's limit. */
const SWEEP_MS = 250;

interface Call extends PlaceParty {
  host: string;
}

export interface Waiting<T> {
  give(given: T): void;
  /** Ends the wait for an attempt that continues and then watches its own signal. */
  stopWatching(): void;
}

/** @returns `instead.stopped` when the attempt is stopped, `instead.full` when too many wait. Not the peer's time. */
export function waitInLine<Item extends object, T>(
  line: FairLine<Item & Waiting<T>>,
  [party, item]: [party: string, item: Item],
  attempt: OngoingAttempt,
  instead: { stopped: T; full: T },
): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  const leave = () => {
    line.delete(party, waiting);
    waiting.give(instead.stopped);
  };
  const waiting: Item & Waiting<T> = {
    ...item,
    stopWatching: () => {
      attempt.signal.removeEventListener("abort", leave);
      attempt.wait(false);
    },
    give: (given) => {
      waiting.stopWatching();
      resolve(given);
    },
  };
  attempt.signal.addEventListener("abort", leave);
  attempt.wait(true);
  line.push(party, waiting)?.give(instead.full);
  return promise;
}

export class CallSlots {
  readonly #limits: CallLimits;
  readonly #ofAccounts = new Counts();
  readonly #waiting: FairLine<Call & Waiting<Slot | null>>;
  readonly #all = new Places();
  readonly #hosts = new Map<string, Places>();
  readonly #now: () => number;
  #sweeper: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(limits: CallLimits = bounds.webhookCalls, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#waiting = new FairLine({ all: limits.waiting, party: limits.waitingOfParty });
    this.#now = now;
  }

  /** @returns `null` when the attempt is stopped, too many calls wait, or `close` was called */
  async take(host: string, attempt: OngoingAttempt): Promise<Slot | null> {
    if (this.#isClosed || attempt.signal.aborted) return null;
    const call = { account: attempt.party, network: attempt.network, host };
    if (this.#hasSlot(call)) return this.#slot(call);
    this.#sweeper ??= setInterval(() => this.#sweep(), SWEEP_MS).unref();
    return await waitInLine(this.#waiting, [call.account, call], attempt, { stopped: null, full: null });
  }

  close(): void {
    this.#isClosed = true;
    this.#rest();
    for (const waiting of this.#waiting.clear()) waiting.give(null);
  }

  #sweep(): void {
    this.#serveWaiting();
    if (this.#waiting.size === 0) this.#rest();
  }

  #rest(): void {
    if (this.#sweeper !== null) clearInterval(this.#sweeper);
    this.#sweeper = null;
  }

  #serveWaiting(): void {
    while (this.#waiting.size > 0) {
      const counts = this.#all.counts();
      const next = this.#waiting.shiftLeast((call) =>
        this.#hasSlot(call) ? turnOf(counts.of(call)) : Number.POSITIVE_INFINITY,
      );
      if (next === undefined) return;
      next.give(this.#slot(next));
    }
  }

  #hasSlot({ account, host }: Call): boolean {
    const { all, party, host: toHost } = this.#limits;
    if (this.#all.size >= all || this.#ofAccounts.of(account) >= party) return false;
    const places = this.#hosts.get(host);
    if (places === undefined || places.size < toHost) return true;
    // An account without a call to a host may exceed the host's limit when others' calls take long.
    return !places.isSharedBy(account) && places.quick(this.#now()) < toHost;
  }

  #slot({ account, network, host }: Call): Slot {
    const call = { account, network, since: this.#now(), isLate: false };
    this.#ofAccounts.add(account, 1);
    this.#all.add(call);
    const places = this.#hosts.get(host) ?? new Places();
    this.#hosts.set(host, places);
    places.add(call);
    return {
      free: () => {
        this.#ofAccounts.add(account, -1);
        this.#all.delete(call);
        places.delete(call);
        if (places.size === 0) this.#hosts.delete(host);
        this.#serveWaiting();
      },
    };
  }
}

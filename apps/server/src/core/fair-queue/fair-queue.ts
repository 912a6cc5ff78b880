/**
 * A queue for work of which only a few jobs run at once. Which party is served next, and which one loses its newest job when too
 * many wait, is decided by `FairLine`. Jobs of known parties wait apart from those of strangers, and the two lines alternate, so
 * that no number of strangers keeps the known ones out.
 */
import { AppError } from "../app-error.ts";
import { FairLine } from "./fair-line.ts";
import { UsedTime } from "./used-time.ts";

export interface QueueTurn {
  party: string;
  /** Without it, the party counts as a stranger. */
  isKnown?: boolean;
}

export interface FairQueueOptions {
  /** Jobs that run at the same time. */
  concurrency: number;
  /** Jobs that may wait, of strangers and of known parties each. */
  waitingMax: number;
  /** Jobs of one party that may wait; without it, only `waitingMax` bounds them. */
  waitingOfPartyMax?: number;
  /**
   * Clock in milliseconds. With it, the party that used the least time lately is served next; without it, parties take turns.
   * For jobs whose cost their party can choose, and for queues that as many parties can fill as may wait.
   */
  now?: () => number;
}

export class FairQueue {
  readonly #concurrency: number;
  readonly #used: UsedTime | undefined;
  readonly #strangers: FairLine<Waiter>;
  readonly #known: FairLine<Waiter>;
  #running = 0;
  #isKnownNext = true;
  #isClosed = false;

  constructor({ concurrency, waitingMax, waitingOfPartyMax = waitingMax, now }: FairQueueOptions) {
    this.#concurrency = concurrency;
    this.#used = now && new UsedTime(now);
    const options = { all: waitingMax, party: waitingOfPartyMax, ...(this.#used && { used: this.#used }) };
    this.#strangers = new FairLine(options);
    this.#known = new FairLine(options);
  }

  /** @throws AppError `busy` for a job that finds no place or loses it, `unavailable` once closed; and what the work throws */
  async run<T>({ party, isKnown = false }: QueueTurn, work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new AppError("unavailable");
    if (this.#running < this.#concurrency) this.#running += 1;
    else await waitIn(isKnown ? this.#known : this.#strangers, party);
    try {
      return await (this.#used === undefined ? work() : this.#used.measure(party, work));
    } finally {
      this.#leave();
    }
  }

  /** Jobs that wait end with `unavailable`, and no more are taken; those that run are not touched. */
  close(): void {
    this.#isClosed = true;
    for (const { reject } of [...this.#known.clear(), ...this.#strangers.clear()]) reject(new AppError("unavailable"));
  }

  /** The place goes to the next job, so that a newcomer cannot take it first, or becomes free. */
  #leave(): void {
    const lines = [this.#known, this.#strangers];
    const next = (this.#isKnownNext ? lines : lines.toReversed()).find(({ size }) => size > 0)?.shift();
    this.#isKnownNext = !this.#isKnownNext;
    if (next === undefined) this.#running -= 1;
    else next.resolve();
  }
}

type Waiter = Pick<PromiseWithResolvers<void>, "resolve" | "reject">;

function waitIn(line: FairLine<Waiter>, party: string): Promise<void> {
  const { promise, ...waiter } = Promise.withResolvers<void>();
  line.push(party, waiter)?.reject(new AppError("busy"));
  return promise;
}

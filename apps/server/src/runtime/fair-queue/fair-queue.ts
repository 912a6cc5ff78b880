/** A queue with limited concurrency; known and unknown parties take turns, so that no flood of unknowns blocks. */

import { AsyncLocalStorage } from "node:async_hooks";
import { FairLine, UsedTime } from "./fair-line.ts";

/** A refused job. `busy`: too many jobs wait; `unavailable`: the queue is closed. */
export class QueueRefusal extends Error {
  override name = "QueueRefusal";
  readonly code: "busy" | "unavailable";

  constructor(code: "busy" | "unavailable") {
    super(code);
    this.code = code;
  }
}

export interface QueueTurn {
  party: string;
  account?: string | undefined;
  isKnown?: boolean;
}

export interface FairQueueOptions {
  concurrency: number;
  waitingMax: number;
  /** Maximum waiting jobs of one party; by default only `waitingMax` applies. */
  waitingOfPartyMax?: number;
  /** Milliseconds; serves the party that used the least time first. Set it where a party can choose a job's cost. */
  now?: () => number;
  /** Used time to order parties by instead of `now`; the jobs add to it themselves. */
  used?: UsedTime;
}

export const turnName = ({ party, account }: Pick<QueueTurn, "party" | "account">): string =>
  account === undefined ? party : `${party} ${account}`;

export class FairQueue {
  readonly #concurrency: number;
  readonly #measured: UsedTime | undefined;
  readonly #unknown: FairLine<Waiter>;
  readonly #known: FairLine<Waiter>;
  #running = 0;
  #isKnownNext = true;
  #isClosed = false;

  constructor({ concurrency, waitingMax, waitingOfPartyMax = waitingMax, now, used }: FairQueueOptions) {
    this.#concurrency = concurrency;
    this.#measured = now && new UsedTime(now);
    const by = used ?? this.#measured;
    const options = { all: waitingMax, party: waitingOfPartyMax, ...(by && { used: by }) };
    this.#unknown = new FairLine(options);
    this.#known = new FairLine(options);
  }

  get isIdle(): boolean {
    return this.#running === 0;
  }

  /** @throws QueueRefusal, and whatever the job throws */
  async run<T>({ isKnown = false, ...turn }: QueueTurn, work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new QueueRefusal("unavailable");
    const party = turnName(turn);
    if (this.#running < this.#concurrency) this.#running += 1;
    else await waitIn(isKnown ? this.#known : this.#unknown, party);
    try {
      return await (this.#measured === undefined ? work() : this.#measured.measure(party, work));
    } finally {
      this.#leave();
    }
  }

  /** Rejects waiting and new jobs with `unavailable`; jobs in progress continue. */
  close(): void {
    this.#isClosed = true;
    for (const { reject } of [...this.#known.clear(), ...this.#unknown.clear()])
      reject(new QueueRefusal("unavailable"));
  }

  /** Passes the slot directly to the next waiting job, so that a newcomer can't take it first. */
  #leave(): void {
    const lines = [this.#known, this.#unknown];
    const next = (this.#isKnownNext ? lines : lines.toReversed()).find(({ size }) => size > 0)?.shift();
    this.#isKnownNext = !this.#isKnownNext;
    if (next === undefined) this.#running -= 1;
    else next.resolve();
  }
}

type Waiter = Pick<PromiseWithResolvers<void>, "resolve" | "reject">;

function waitIn(line: FairLine<Waiter>, party: string): Promise<void> {
  const { promise, ...waiter } = Promise.withResolvers<void>();
  line.push(party, waiter)?.reject(new QueueRefusal("busy"));
  return promise;
}

export interface Caller {
  turn: QueueTurn;
  held: (() => void)[];
}

const callers = new AsyncLocalStorage<Caller>();

/** Time charged to callers for statements, transactions, and the slices of `slices.ts`. */
export const callersTime = new UsedTime(() => performance.now());

/** Runs a web request's work, whose statements wait for the caller's turn; work for mail does not wait. */
export function asCaller<T>(turn: QueueTurn, work: () => T): T {
  return callers.run({ turn, held: [] }, work);
}

/** Runs work for several callers, so that they do not wait for the turn of one. */
export function withoutCallerTurn<T>(work: () => T): T {
  return callers.exit(work);
}

export function currentCaller(): Caller | undefined {
  return callers.getStore();
}

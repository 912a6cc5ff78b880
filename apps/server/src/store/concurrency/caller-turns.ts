/**
 * Whose statements the database works on next. It answers one after the other (the embedded one) or a few at once (PostgreSQL), so
 * a thousand web calls at once would stand before the next message's statement. What runs on behalf of a caller has a few places at
 * the database, which callers get in turns; everything else, mail above all, does not wait for them.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Dialect, DialectAdapter, Driver } from "kysely";
import { FairQueue, type QueueTurn } from "../../core/fair-queue/fair-queue.ts";

/** Waiting statements of people who are signed in, and of others. A web call has one at a time. */
const WAITING_MAX = 2000;

interface Caller {
  turn: QueueTurn;
  /** Gives back the places that the caller holds; which of them does not matter. */
  held: (() => void)[];
}

const callers = new AsyncLocalStorage<Caller>();

/** Statements within the work, and within what it starts, wait for the caller's turn. */
export function asCaller<T>(turn: QueueTurn, work: () => T): T {
  return callers.run({ turn, held: [] }, work);
}

/** What runs for a caller goes on for everybody: nobody else waits for the caller's turn. */
export function forEverybody<T>(work: () => T): T {
  return callers.exit(work);
}

export interface Places {
  /** Statements and transactions of callers at once. */
  callers: number;
  /** The database has one connection: what has got it works alone. */
  isSingle: boolean;
}

/**
 * The same dialect, at whose connections callers take turns. A transaction is one turn: within it the work must not ask for another
 * connection.
 */
export function withCallerTurns(dialect: Dialect, { callers: concurrency, isSingle }: Places): Dialect {
  const queue = new FairQueue({ concurrency, waitingMax: WAITING_MAX });
  const line = isSingle ? new Line() : null;
  return {
    createAdapter: () => withOwnLine(dialect.createAdapter()),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver: () => inTurns(dialect.createDriver(), queue, line),
  };
}

/** Kysely would wake everybody who waits for a single connection whenever it is free, which costs the square of their number. */
function withOwnLine(adapter: DialectAdapter): DialectAdapter {
  return Object.create(adapter, { supportsMultipleConnections: { value: true } });
}

/** Those who wait for the one connection, in the order they came. */
class Line {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  async take(): Promise<void> {
    if (this.#isTaken) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}

function inTurns(driver: Driver, queue: FairQueue, line: Line | null): Driver {
  const giveBack = () => {
    line?.give();
    callers.getStore()?.held.pop()?.();
  };
  const acquire = driver.acquireConnection.bind(driver);
  driver.acquireConnection = async (...options) => {
    const caller = callers.getStore();
    if (caller !== undefined) caller.held.push(await takePlace(queue, caller.turn));
    await line?.take();
    try {
      return await acquire(...options);
    } catch (thrown) {
      giveBack();
      throw thrown;
    }
  };
  const release = driver.releaseConnection.bind(driver);
  driver.releaseConnection = async (...connection) => {
    try {
      await release(...connection);
    } finally {
      giveBack();
    }
  };
  return driver;
}

/** @returns what gives the place back. @throws AppError `busy` for who may not wait */
function takePlace(queue: FairQueue, turn: QueueTurn): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const work = () => new Promise<void>((done) => resolve(done));
    queue.run(turn, work).catch(reject);
  });
}

/**
 * Decides whose statement the database runs next. The embedded database runs one statement at a time, PostgreSQL a few
 * concurrently, so without limits the statements of a thousand web requests would run before those of the next message.
 * Statements of callers (web requests) share a few slots. The next one goes to whoever used the least time recently
 * (`runtime/fair-queue/caller.ts`); all other statements, above all those of the mail path, do not wait for these slots.
 */
import type { Dialect, DialectAdapter, Driver } from "kysely";
import { callersTime, currentCaller } from "../../runtime/fair-queue/caller.ts";
import { FairQueue, nameOf, type QueueTurn } from "../../runtime/fair-queue/fair-queue.ts";

/**
 * Maximum waiting statements of all signed-in users together; the same number again for all other callers together. A
 * web request has one at a time.
 */
const WAITING_MAX = 2000;

export interface CallerSlots {
  /** Maximum concurrent statements and transactions of callers. */
  callers: number;
  /** Whether the database has a single connection, which one statement or transaction uses at a time. */
  isSingle: boolean;
}

/**
 * Wraps a dialect so that callers take turns at its connections. A transaction is one turn: within it the work must not
 * request another connection, or it would wait for itself.
 */
export function withCallerTurns(dialect: Dialect, { callers: concurrency, isSingle }: CallerSlots): Dialect {
  const queue = new FairQueue({ concurrency, waitingMax: WAITING_MAX, used: callersTime });
  const connections = isSingle ? new ConnectionQueue() : null;
  return {
    createAdapter: () => withOwnQueue(dialect.createAdapter()),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver: () => inTurns(dialect.createDriver(), queue, connections),
  };
}

/**
 * Makes Kysely leave the waiting to our queue. For a single connection, its own code wakes every waiter each time the
 * connection becomes free, at quadratic cost.
 */
function withOwnQueue(adapter: DialectAdapter): DialectAdapter {
  return Object.create(adapter, { supportsMultipleConnections: { value: true } });
}

/** A first-in, first-out queue for the single connection. */
class ConnectionQueue {
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

function inTurns(driver: Driver, queue: FairQueue, connections: ConnectionQueue | null): Driver {
  const giveBack = () => {
    connections?.give();
    currentCaller()?.held.pop()?.();
  };
  const acquire = driver.acquireConnection.bind(driver);
  driver.acquireConnection = async (...options) => {
    const caller = currentCaller();
    const releaseSlot = caller && (await takeSlot(queue, caller.turn));
    await connections?.take();
    if (caller && releaseSlot) caller.held.push(charged(caller.turn, releaseSlot));
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

/** @returns a function that charges the time since now to the caller, then calls `release` */
function charged(turn: QueueTurn, release: () => void): () => void {
  const since = performance.now();
  return () => {
    callersTime.add(nameOf(turn), performance.now() - since);
    release();
  };
}

/**
 * Waits for a database slot until it is the caller's turn.
 * @returns a function that releases the slot
 * @throws AppError `busy` when the queue is full
 */
function takeSlot(queue: FairQueue, turn: QueueTurn): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const work = () => new Promise<void>((done) => resolve(done));
    queue.run(turn, work).catch(reject);
  });
}

/**
 * Decides whose statement the database runs next. The embedded database runs one statement at a time, PostgreSQL a few
 * concurrently, so without limits the statements of a thousand web requests would run before those of the next message.
 * Statements of callers (web requests) share a few slots, which callers get in turns; all other statements, above all
 * those of the mail path, do not wait for these slots.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Dialect, DialectAdapter, Driver } from "kysely";
import { FairQueue, type QueueTurn } from "../../core/fair-queue/fair-queue.ts";

/**
 * Maximum waiting statements of all signed-in users together; the same number again for all other callers together. A
 * web request has one at a time.
 */
const WAITING_MAX = 2000;

interface Caller {
  turn: QueueTurn;
  /** Functions that release the database slots held by this caller. The slots are interchangeable. */
  held: (() => void)[];
}

const callers = new AsyncLocalStorage<Caller>();

/** Runs `work`, whose database statements, and those of everything it starts, wait for the caller's turn. */
export function asCaller<T>(turn: QueueTurn, work: () => T): T {
  return callers.run({ turn, held: [] }, work);
}

/**
 * Runs `work` outside the turn of the current caller. Used for work that serves several callers, so that the others do
 * not wait for the turn of one.
 */
export function withoutCallerTurn<T>(work: () => T): T {
  return callers.exit(work);
}

/** Whether the current work waits for the turns of a caller. */
export function isInCallerTurn(): boolean {
  return callers.getStore() !== undefined;
}

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
  const queue = new FairQueue({ concurrency, waitingMax: WAITING_MAX });
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
    callers.getStore()?.held.pop()?.();
  };
  const acquire = driver.acquireConnection.bind(driver);
  driver.acquireConnection = async (...options) => {
    const caller = callers.getStore();
    if (caller !== undefined) caller.held.push(await takeSlot(queue, caller.turn));
    await connections?.take();
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

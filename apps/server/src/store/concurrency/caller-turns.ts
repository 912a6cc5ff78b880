/**
 * Decides whose statement the database runs next, so that a thousand web requests do not run before the next message.
 * Callers (web requests) share a few slots; the next goes to whoever used the least time recently
 * (`runtime/fair-queue/caller.ts`). All other statements, above all the mail path's, need no slot.
 */

import type { Dialect, DialectAdapter, Driver } from "kysely";
import { bounds } from "../../limits/table.ts";
import {
  callersTime,
  currentCaller,
  FairQueue,
  type QueueTurn,
  turnName,
} from "../../runtime/fair-queue/fair-queue.ts";

export interface CallerSlots {
  callers: number;
  isSingle: boolean;
}

/** A transaction is one turn: work inside it that asked for another connection would wait for itself. */
export function withCallerTurns(dialect: Dialect, { callers: concurrency, isSingle }: CallerSlots): Dialect {
  const queue = new FairQueue({ concurrency, waitingMax: bounds.databaseTurns.waiting, used: callersTime });
  const connections = isSingle ? new ConnectionQueue() : null;
  return {
    createAdapter: () => withOwnQueue(dialect.createAdapter()),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver: () => inTurns(dialect.createDriver(), queue, connections),
  };
}

/** Kysely's own queue for a single connection wakes every waiter each time, at quadratic cost. */
function withOwnQueue(adapter: DialectAdapter): DialectAdapter {
  return Object.create(adapter, { supportsMultipleConnections: { value: true } });
}

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

/** Charges the caller's turn for the time until the returned function is called. */
function charged(turn: QueueTurn, release: () => void): () => void {
  const since = performance.now();
  return () => {
    callersTime.add(turnName(turn), performance.now() - since);
    release();
  };
}

/** @throws AppError `busy` when the queue is full */
function takeSlot(queue: FairQueue, turn: QueueTurn): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const work = () => new Promise<void>((done) => resolve(done));
    queue.run(turn, work).catch(reject);
  });
}

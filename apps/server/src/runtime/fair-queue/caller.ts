/**
 * The caller whose web request the current work belongs to. Time of the database and of the event loop is charged to
 * its account and to its network block, and who used the least of it recently is served next. The work of the mail path
 * has no caller and waits for none.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { QueueTurn } from "./fair-queue.ts";
import { UsedTime } from "./used-time.ts";

export interface Caller {
  turn: QueueTurn;
  /** Functions that release the database slots held by this caller. The slots are interchangeable. */
  held: (() => void)[];
}

const callers = new AsyncLocalStorage<Caller>();

/** Time that callers used: statements and transactions, and the slices of `slices.ts`. */
export const callersTime = new UsedTime(() => performance.now());

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

/** @returns `undefined` for work that waits for nobody's turn */
export function currentCaller(): Caller | undefined {
  return callers.getStore();
}

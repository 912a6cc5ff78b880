import { withoutCallerTurn } from "../../runtime/fair-queue/caller.ts";

/**
 * Lets concurrent callers with the same key share one call (group commit). A call that is already running may have
 * started too early for a new caller, so new callers share the next one.
 */
export function sharedCalls<Key>(run: (key: Key) => Promise<void>): (key: Key) => Promise<void> {
  const calls = new Map<Key, { running: Promise<void>; next: Promise<void> | null }>();
  const start = (key: Key): Promise<void> => {
    const running = run(key);
    const call = { running, next: null as Promise<void> | null };
    calls.set(key, call);
    const done = () => {
      if (call.next === null) calls.delete(key);
    };
    running.then(done, done);
    return running;
  };
  return (key) => {
    const call = calls.get(key);
    if (call === undefined) return start(key);
    call.next ??= call.running.then(
      () => start(key),
      () => start(key),
    );
    return call.next;
  };
}

/**
 * Joins reads that are requested while others run into one query, since the cost of a query is mostly that of sending
 * it and waking the database. Unlike calls of `groupCalls`, they never pause, as there is no commit to share. A read
 * belongs to a query that started after the read was requested, so it sees every change acknowledged before.
 */

/**
 * Milliseconds that a read waits for a running query. Then it no longer waits, so that connections without an answer
 * hold up only their own reads.
 */
export const PATIENCE_MS = 1000;

export interface JoinedReads<Item, Result> {
  /** Reads the items in one query. @returns the results, in the order of the items */
  read(items: readonly Item[]): Promise<readonly Result[]>;
  /** Number of queries that run at the same time before further reads wait to be joined. */
  atOnce: number;
  /** Maximum number of items in a query. */
  most: number;
  /** Whether an error may concern only one item; then each item is read alone. Otherwise all of the query fail. */
  isOneItemsFault(error: unknown): boolean;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** @returns a function that reads one item; a single caller's read starts at once */
export function joinReads<Item, Result>(reads: JoinedReads<Item, Result>): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let running = 0;
  let patience: NodeJS.Timeout | null = null;
  const start = () => {
    const group = waiting.splice(0, reads.most);
    running++;
    void readGroup(group, reads).then(() => {
      running--;
      startNext();
    });
  };
  const startNext = () => {
    if (patience !== null) clearTimeout(patience);
    patience = null;
    while (running < reads.atOnce && waiting.length > 0) start();
    if (waiting.length > 0) patience = setTimeout(startAll, PATIENCE_MS);
  };
  const startAll = () => {
    patience = null;
    while (waiting.length > 0) start();
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // A query serves all its callers, so it must not wait for the turn of the caller that starts it.
      if (running < reads.atOnce) withoutCallerTurn(start);
      else patience ??= withoutCallerTurn(() => setTimeout(startAll, PATIENCE_MS));
    });
}

/** Never rejects: every failure is passed to the callers of its items. */
async function readGroup<Item, Result>(
  group: readonly Waiting<Item, Result>[],
  reads: JoinedReads<Item, Result>,
): Promise<void> {
  try {
    const results = await reads.read(group.map(({ item }) => item));
    for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result);
  } catch (error) {
    if (group.length > 1 && reads.isOneItemsFault(error)) {
      await Promise.all(group.map((waiter) => readGroup([waiter], reads)));
    } else {
      for (const { reject } of group) reject(error);
    }
  }
}

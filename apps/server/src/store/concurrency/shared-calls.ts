import { withoutCallerTurn } from "../../runtime/fair-queue/fair-queue.ts";

/** Concurrent callers of a key share one call: the next one, since a running one may have started too early. */
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
 * Reads requested while others run share one query, which started after the request and so sees every change
 * acknowledged before. Without a commit to share there are no pauses, unlike in `groupCalls`.
 */

/** Time after which a read waits for no running query, so that a dead connection holds up only its own reads. */
export const PATIENCE_MS = 1000;

export interface JoinedReads<Item, Result> {
  read(items: readonly Item[]): Promise<readonly Result[]>;
  atOnce: number;
  most: number;
  /** Whether an error may concern one item only: each item of the query is then read alone. */
  isOneItemsFault(error: unknown): boolean;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

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
      // The query serves all who wait, so it must not wait for the turn of the caller that starts it.
      if (running < reads.atOnce) withoutCallerTurn(start);
      else patience ??= withoutCallerTurn(() => setTimeout(startAll, PATIENCE_MS));
    });
}

/** Never rejects: failures are passed to the callers of the items. */
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

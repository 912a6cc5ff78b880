/**
 * Group commit: calls that come while one statement runs, or shortly after it, are answered together by the next one, so many
 * callers share a commit and its fsync. A caller that comes alone starts at once.
 */

import { forEverybody } from "./caller-turns.ts";

/** Rest after a group, in times it took: the embedded database runs on the main thread, so callers can only come in between. */
const restFactor = 4;
const restMaxMs = 25;

export interface GroupedCalls<Item, Result> {
  /**
   * One commit for all of them. It may run again with a single item, so it must have changed nothing when it throws.
   * @returns the results, in the order of the items
   */
  run(items: readonly Item[]): Promise<readonly Result[]>;
  /** Largest group, items, or the sum of their weights. An item that is heavier is a group of its own. */
  most: number;
  /** What an item costs, e.g. its rows; 1 unless said. */
  weigh?(item: Item): number;
  /** Whether a failure may be one item's own fault; then each is tried alone. Otherwise it is everybody's. */
  isOneItemsFault(error: unknown): boolean;
}

/** @returns a call that resolves with its item's own result, never before the commit that holds it */
export function groupCalls<Item, Result>(calls: GroupedCalls<Item, Result>): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let running = false;
  const work = async () => {
    running = true;
    do {
      const startedAt = performance.now();
      await runGroup(waiting.splice(0, groupLength(waiting, calls)), calls);
      const restMs = Math.min(restFactor * (performance.now() - startedAt), restMaxMs);
      if (waiting.length < calls.most) await new Promise((resolve) => setTimeout(resolve, restMs));
    } while (waiting.length > 0);
    running = false;
  };
  return (item) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // The group is of all who came, not only of the caller who begins it.
      if (!running) void forEverybody(work);
    });
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** How many of those that wait make the next group, one at least. */
function groupLength<Item, Result>(
  waiting: readonly Waiting<Item, Result>[],
  { most, weigh = () => 1 }: GroupedCalls<Item, Result>,
): number {
  let weight = 0;
  const over = waiting.findIndex(({ item }) => {
    weight += weigh(item);
    return weight > most;
  });
  return over < 0 ? waiting.length : Math.max(over, 1);
}

/** Never rejects: every failure is told to those it belongs to. */
async function runGroup<Item, Result>(
  group: readonly Waiting<Item, Result>[],
  calls: GroupedCalls<Item, Result>,
): Promise<void> {
  try {
    const results = await calls.run(group.map((it) => it.item));
    for (const [index, it] of group.entries()) it.resolve(results[index] as Result);
  } catch (error) {
    if (group.length > 1 && calls.isOneItemsFault(error)) {
      for (const it of group) await runGroup([it], calls);
    } else {
      for (const it of group) it.reject(error);
    }
  }
}

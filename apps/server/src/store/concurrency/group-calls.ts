/**
 * Group commit: items that arrive while a statement runs, or shortly after it, are handled together by the next
 * statement, so that many callers share a commit and its fsync. A single item starts at once.
 */

import { withoutCallerTurn } from "./caller-turns.ts";

/**
 * Pause after a group, as a multiple of the time the group took. The embedded database runs on the main thread, so new
 * items can only arrive during such pauses.
 */
const PAUSE_FACTOR = 4;
const PAUSE_MAX_MS = 25;

export interface GroupedCalls<Item, Result> {
  /**
   * Handles all items in one commit. It may be called again with single items, so it must have changed nothing when it
   * throws.
   * @returns the results, in the order of the items
   */
  run(items: readonly Item[]): Promise<readonly Result[]>;
  /**
   * Maximum number of items in a group, or maximum sum of their weights. An item heavier than this forms a group of its
   * own.
   */
  most: number;
  /** Minimum milliseconds of the pause after a group; default 0. */
  pauseMinMs?: number;
  /** Weight of an item, e.g. its number of rows; default 1. */
  weigh?(item: Item): number;
  /** Whether an error may concern only one item; then each item is run alone. Otherwise the whole group fails. */
  isOneItemsFault(error: unknown): boolean;
}

/**
 * Groups calls into shared commits.
 * @returns a function that takes an item and resolves with its result after the commit
 */
export function groupCalls<Item, Result>(calls: GroupedCalls<Item, Result>): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let running = false;
  const work = async () => {
    running = true;
    do {
      const startedAt = performance.now();
      await runGroup(waiting.splice(0, groupLength(waiting, calls)), calls);
      const usualMs = Math.min(PAUSE_FACTOR * (performance.now() - startedAt), PAUSE_MAX_MS);
      const pauseMs = Math.max(usualMs, calls.pauseMinMs ?? 0);
      if (waiting.length < calls.most) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    } while (waiting.length > 0);
    running = false;
  };
  return (item) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // A group serves all waiting callers, so it must not wait for the turn of the caller that starts it.
      if (!running) void withoutCallerTurn(work);
    });
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Number of waiting items to take into the next group, at least one. */
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

/** Handles one group of items. Never rejects: every failure is passed to the callers of its items. */
async function runGroup<Item, Result>(
  group: readonly Waiting<Item, Result>[],
  calls: GroupedCalls<Item, Result>,
): Promise<void> {
  try {
    const results = await calls.run(group.map(({ item }) => item));
    for (const [index, waiter] of group.entries()) waiter.resolve(results[index] as Result);
  } catch (error) {
    if (group.length > 1 && calls.isOneItemsFault(error)) {
      for (const waiter of group) await runGroup([waiter], calls);
    } else {
      for (const waiter of group) waiter.reject(error);
    }
  }
}

/**
 * Group commit: items that arrive while a statement runs, or shortly after it, are handled together by the next
 * statement, so that many callers share a commit and its fsync. A single item starts at once.
 */

import { withoutCallerTurn } from "../../runtime/fair-queue/caller.ts";

/**
 * Pause after a group, as a multiple of the time the group took. The embedded database runs on the main thread, so new
 * items can only arrive during such pauses.
 */
const PAUSE_FACTOR = 4;
/** Maximum length of a pause. */
export const PAUSE_MAX_MS = 25;
/** Number of successive one-item groups after which a longer pause shows whether callers have become concurrent. */
const PROBE_EVERY = 8;

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
  /** Weight of an item, e.g. its number of rows; default 1. */
  weigh?(item: Item): number;
  /**
   * Name of the party that an item belongs to. If more items wait than fit in a group, the parties' items are taken in
   * turns, so that a party with many items delays mostly its own. By default items are taken in order.
   */
  partyOf?(item: Item): string;
  /**
   * Minimum pause in milliseconds while groups of more than one item show that callers are concurrent, at most
   * `PAUSE_MAX_MS`. It bounds the commits per second, for calls that cost little beside their commit. A single caller
   * with one item after another is not delayed by it, except for every eighth item. Default 0.
   */
  pauseMinMs?: number;
  /** Whether an error may concern only one item; then each item is run alone. Otherwise the whole group fails. */
  isOneItemsFault(error: unknown): boolean;
}

/**
 * Groups calls into shared commits.
 * @returns a function that takes an item and resolves with its result after the commit
 */
export function groupCalls<Item, Result>(calls: GroupedCalls<Item, Result>): (item: Item) => Promise<Result> {
  const { most, pauseMinMs = 0 } = calls;
  let waiting: Waiting<Item, Result>[] = [];
  let running = false;
  /** Number of groups of one item since the last larger group. */
  let singles = 0;
  const work = async () => {
    running = true;
    do {
      const startedAt = performance.now();
      if (calls.partyOf !== undefined) waiting = inTurns(waiting, calls.partyOf);
      const group = waiting.splice(0, groupLength(waiting, calls));
      await runGroup(group, calls);
      singles = group.length > 1 ? 0 : singles + 1;
      const leastMs = singles <= 1 || singles % PROBE_EVERY === 0 ? pauseMinMs : 0;
      const pauseMs = Math.max(PAUSE_FACTOR * (performance.now() - startedAt), leastMs);
      if (waiting.length < most) await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs, PAUSE_MAX_MS)));
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

/**
 * Orders the waiting items: the first of every party, then the second of every party, and so on. Parties keep the order
 * of their first items.
 */
function inTurns<Item, Result>(
  waiting: readonly Waiting<Item, Result>[],
  partyOf: (item: Item) => string,
): Waiting<Item, Result>[] {
  const rounds: Waiting<Item, Result>[][] = [];
  const counts = new Map<string, number>();
  for (const waiter of waiting) {
    const party = partyOf(waiter.item);
    const round = counts.get(party) ?? 0;
    counts.set(party, round + 1);
    (rounds[round] ??= []).push(waiter);
  }
  return rounds.flat();
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

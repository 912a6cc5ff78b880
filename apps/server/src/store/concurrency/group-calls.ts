/** Group commit: items that arrive while a statement runs, or shortly after, share the next one and its fsync. */

import { withoutCallerTurn } from "../../runtime/fair-queue/fair-queue.ts";

/** Pause as a multiple of the group's time: the embedded database blocks this thread, so items arrive in pauses. */
const PAUSE_FACTOR = 4;
export const PAUSE_MAX_MS = 25;
/** After this many groups of one item, a longer pause shows whether callers are concurrent by now. */
const PROBE_EVERY = 8;

export interface GroupedCalls<Item, Result> {
  /** Runs one group. It may be called again with single items, so it must have changed nothing when it throws. */
  run(items: readonly Item[]): Promise<readonly Result[]>;
  /** Maximum items of a group, or sum of their weights. A larger item forms a group of its own. */
  most: number;
  weigh?(item: Item): number;
  /** Names the party of an item. If more wait than fit in a group, parties take turns; default: order of arrival. */
  partyOf?(item: Item): string;
  /** Minimum pause while callers are concurrent: bounds commits per second; a single caller waits at each eighth. */
  pauseMinMs?: number;
  /** Whether an error may concern one item only: each item of the group is then run alone. */
  isOneItemsFault(error: unknown): boolean;
}

export function groupCalls<Item, Result>(calls: GroupedCalls<Item, Result>): (item: Item) => Promise<Result> {
  const { most, pauseMinMs = 0 } = calls;
  let waiting: Waiting<Item, Result>[] = [];
  let running = false;
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
      // The group serves all who wait, so it must not wait for the turn of the caller that starts it.
      if (!running) void withoutCallerTurn(work);
    });
}

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Orders items: the first of every party, then the second of every party, and so on. */
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

/** Never rejects: failures are passed to the callers of the items. */
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

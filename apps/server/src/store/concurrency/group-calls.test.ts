import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { groupCalls } from "./group-calls.ts";

class Poison extends Error {}

/** A fake database that commits on command and records its groups. */
function heldCommits({ most = 64, poison = new Set<number>() } = {}) {
  const groups: number[][] = [];
  const committed: number[] = [];
  let open: (() => void) | null = null;
  let broken: Error | null = null;
  const call = groupCalls<number, string>({
    most,
    isOneItemsFault: (error) => error instanceof Poison,
    run: async (items) => {
      groups.push([...items]);
      await new Promise<void>((resolve) => (open = resolve));
      if (broken !== null) throw broken;
      if (items.some((it) => poison.has(it))) throw new Poison();
      committed.push(...items);
      return items.map((it) => `result of ${it}`);
    },
  });
  /** Ends the commit of the group that the fake database runs. */
  const commit = async () => {
    await vi.waitUntil(() => open !== null, { interval: 1 });
    open?.();
    open = null;
  };
  return { call, commit, groups, committed, breakDown: (error: Error) => (broken = error) };
}

async function commitAll({ commit }: { commit(): Promise<unknown> }, calls: Promise<unknown>[]) {
  let isOver = false;
  const over = Promise.allSettled(calls).then((all) => {
    isOver = true;
    return all;
  });
  while (!isOver) await Promise.race([commit(), over]);
  return await over;
}

test("a single caller starts at once", () => {
  const { call, groups } = heldCommits();
  void call(1);
  expect(groups).toEqual([[1]]);
});

test("callers that arrive during a commit share the next one, in order", async () => {
  const held = heldCommits();
  const calls = [1, 2, 3].map((it) => held.call(it));
  await commitAll(held, calls);
  expect(held.groups).toEqual([[1], [2, 3]]);
});

test("a group is bounded by the weight of its items; an item heavier than the bound forms its own group", async () => {
  const groups: number[][] = [];
  const run = async (items: readonly number[]) => {
    groups.push([...items]);
    await new Promise((resolve) => setImmediate(resolve));
    return items;
  };
  const call = groupCalls<number, number>({ most: 64, weigh: (rows) => rows, isOneItemsFault: () => false, run });
  expect(await Promise.all([1, 30, 30, 30, 1000, 64, 1].map(call))).toEqual([1, 30, 30, 30, 1000, 64, 1]);
  expect(groups).toEqual([[1], [30, 30], [30], [1000], [64], [1]]);
});

test("if more items wait than fit in a group, parties take turns: one with many items delays mostly its own", async () => {
  const groups: string[][] = [];
  const run = async (items: readonly string[]) => {
    groups.push([...items]);
    await new Promise((resolve) => setImmediate(resolve));
    return items;
  };
  const call = groupCalls<string, string>({ most: 3, partyOf: (item) => item[0]!, isOneItemsFault: () => false, run });
  const items = ["a1", "a2", "a3", "a4", "a5", "a6", "b1", "b2", "c1"];
  expect(await Promise.all(items.map(call))).toEqual(items);
  expect(groups).toEqual([["a1"], ["a2", "b1", "c1"], ["a3", "b2", "a4"], ["a5", "a6"]]);
});

describe("with a minimum pause", () => {
  const PAUSE_MS = 20;

  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  /** Commits that take no time. Each caller starts an item one millisecond after its previous item was answered. */
  function quickCommits() {
    const groups: number[] = [];
    const run = async (items: readonly number[]) => {
      groups.push(items.length);
      return items;
    };
    const call = groupCalls<number, number>({ most: 64, pauseMinMs: PAUSE_MS, isOneItemsFault: () => false, run });
    const oneAfterAnother = async (items: number) => {
      for (let item = 0; item < items; item++) {
        await call(item);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    };
    /** @returns milliseconds until all items of all callers were answered */
    const timeOf = async (callers: number, itemsEach: number) => {
      let isOver = false;
      const startedAt = performance.now();
      const all = Array.from({ length: callers }, () => oneAfterAnother(itemsEach));
      void Promise.all(all).then(() => (isOver = true));
      while (!isOver) await vi.advanceTimersByTimeAsync(1);
      return performance.now() - startedAt;
    };
    return { timeOf, groups };
  }

  test("concurrent callers share commits, which are limited per second", async () => {
    const { timeOf, groups } = quickCommits();
    const ms = await timeOf(10, 20);
    expect(groups.length).toBeLessThanOrEqual(ms / PAUSE_MS + 1);
    expect(groups.filter((size) => size === 10).length).toBeGreaterThan(15);
  });

  test("a single caller with one item after another waits for every eighth only", async () => {
    const { timeOf, groups } = quickCommits();
    expect(await timeOf(1, 80)).toBeLessThan(80 * 2 + 12 * PAUSE_MS);
    expect(groups).toHaveLength(80);
  });

  test("callers that become concurrent are noticed", async () => {
    const { timeOf, groups } = quickCommits();
    await timeOf(1, 50);
    await timeOf(10, 20);
    expect(groups.filter((size) => size === 10).length).toBeGreaterThan(15);
  });
});

test("no caller is answered before the commit", async () => {
  const held = heldCommits();
  const answered: number[] = [];
  const calls = [1, 2, 3].map(async (it) => {
    await held.call(it);
    expect(held.committed).toContain(it);
    answered.push(it);
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(answered).toEqual([]);
  await held.commit();
  await calls[0];
  expect(answered).toEqual([1]);
  await commitAll(held, calls);
  expect(answered).toEqual([1, 2, 3]);
});

test("an item that causes the failure fails alone", async () => {
  const held = heldCommits({ poison: new Set([3]) });
  const ends = await commitAll(
    held,
    [1, 2, 3, 4].map((it) => held.call(it)),
  );
  expect(ends.map((end) => end.status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
  expect(held.groups).toEqual([[1], [2, 3, 4], [2], [3], [4]]);
});

test("a failure that no single item causes fails the whole group without a retry", async () => {
  const held = heldCommits();
  const calls = [1, 2, 3].map((it) => held.call(it));
  held.breakDown(new Error("disk"));
  const ends = await commitAll(held, calls);
  expect(ends.map((end) => end.status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(held.groups).toEqual([[1], [2, 3]]);
});

test("a new call by a caller that was just answered is answered too", async () => {
  const held = heldCommits();
  const both = held.call(1).then(() => held.call(2));
  await commitAll(held, [both]);
  expect(await both).toBe("result of 2");
});

test("for arbitrary calls, every caller gets its own result once, groups are bounded, and only the poisoned items fail", async () => {
  const kinds = fc.array(fc.record({ poisoned: fc.boolean(), pause: fc.boolean() }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(kinds, fc.integer({ min: 1, max: 5 }), async (items, most) => {
      const poison = new Set(items.flatMap(({ poisoned }, index) => (poisoned ? [index] : [])));
      const groups: number[] = [];
      const call = groupCalls<number, number>({
        most,
        isOneItemsFault: () => true,
        run: async (group) => {
          groups.push(group.length);
          await new Promise((resolve) => setImmediate(resolve));
          if (group.some((it) => poison.has(it))) throw new Poison();
          return group.map((it) => it * 2);
        },
      });
      const calls: Promise<number | string>[] = [];
      for (const [index, { pause }] of items.entries()) {
        calls.push(call(index).catch(() => "failed"));
        if (pause) await new Promise((resolve) => setImmediate(resolve));
      }
      expect(await Promise.all(calls)).toEqual(items.map(({ poisoned }, index) => (poisoned ? "failed" : index * 2)));
      expect(Math.max(0, ...groups)).toBeLessThanOrEqual(most);
    }),
    { numRuns: 50 },
  );
});

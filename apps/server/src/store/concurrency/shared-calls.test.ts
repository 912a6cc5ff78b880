import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { joinReads, PATIENCE_MS } from "./shared-calls.ts";

class Poison extends Error {}

/** A fake database whose queries are answered on command. */
function heldQueries({ atOnce = 2, most = 64, poison = new Set<number>() } = {}) {
  const queries: number[][] = [];
  const open: (() => void)[] = [];
  let broken: Error | null = null;
  const read = joinReads<number, string>({
    atOnce,
    most,
    isOneItemsFault: (error) => error instanceof Poison,
    read: async (items) => {
      queries.push([...items]);
      await new Promise<void>((resolve) => open.push(resolve));
      if (broken !== null) throw broken;
      if (items.some((it) => poison.has(it))) throw new Poison();
      return items.map((it) => `row of ${it}`);
    },
  });
  /** Answers the oldest queries. */
  const answer = async (count = 1) => {
    for (let n = 0; n < count; n++) open.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  const answerAll = async (reads: readonly Promise<unknown>[]) => {
    let isOver = false;
    const over = Promise.allSettled(reads).finally(() => (isOver = true));
    while (!isOver) await answer();
    return await over;
  };
  return { read, queries, answer, answerAll, breakDown: (error: Error) => (broken = error) };
}

test("reads start at once until the number of queries is reached", () => {
  const { read, queries } = heldQueries({ atOnce: 2 });
  void read(1);
  void read(2);
  void read(3);
  expect(queries).toEqual([[1], [2]]);
});

test("reads that arrive while the queries run share the next one, in order", async () => {
  const held = heldQueries({ atOnce: 2 });
  const reads = [1, 2, 3, 4, 5].map(held.read);
  await held.answer();
  expect(held.queries).toEqual([[1], [2], [3, 4, 5]]);
  await held.answerAll(reads);
  expect(await reads[4]).toBe("row of 5");
});

test("a query has at most as many items as allowed", async () => {
  const held = heldQueries({ atOnce: 1, most: 2 });
  await held.answerAll([1, 2, 3, 4, 5, 6].map(held.read));
  expect(held.queries).toEqual([[1], [2, 3], [4, 5], [6]]);
});

test("a read is never answered by a query that started before it was requested", async () => {
  const held = heldQueries({ atOnce: 1 });
  const first = held.read(1);
  const again = held.read(1);
  await held.answerAll([first, again]);
  expect(held.queries).toEqual([[1], [1]]);
});

test("an item that causes the failure fails alone", async () => {
  const held = heldQueries({ atOnce: 1, poison: new Set([3]) });
  const reads = [1, 2, 3, 4].map(held.read);
  await held.answerAll(reads);
  await expect(reads[2]).rejects.toThrow(Poison);
  expect(await Promise.all([reads[0], reads[1], reads[3]])).toEqual(["row of 1", "row of 2", "row of 4"]);
});

test("a failure that no single item causes fails the whole query without a retry, and later reads start", async () => {
  const held = heldQueries({ atOnce: 1 });
  held.breakDown(new Error("connection lost"));
  const settled = await held.answerAll([1, 2, 3].map(held.read));
  expect(settled.map((it) => it.status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(held.queries).toEqual([[1], [2, 3]]);
  void held.read(4);
  expect(held.queries.at(-1)).toEqual([4]);
});

describe("queries that are not answered", () => {
  afterEach(() => void vi.useRealTimers());

  test("hold up other reads for a second", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { read, queries } = heldQueries({ atOnce: 2, most: 2 });
    for (const item of [1, 2, 3, 4, 5]) void read(item);
    await vi.advanceTimersByTimeAsync(PATIENCE_MS - 1);
    expect(queries).toEqual([[1], [2]]);
    await vi.advanceTimersByTimeAsync(1);
    expect(queries).toEqual([[1], [2], [3, 4], [5]]);
    void read(6);
    expect(queries).toHaveLength(4);
    await vi.advanceTimersByTimeAsync(PATIENCE_MS);
    expect(queries.at(-1)).toEqual([6]);
  });
});

test("for arbitrary reads, every caller gets its own result, and queries are bounded in number and size", async () => {
  const bounds = fc.record({ atOnce: fc.integer({ min: 1, max: 4 }), most: fc.integer({ min: 1, max: 5 }) });
  const items = fc.array(fc.record({ item: fc.nat(20), waits: fc.nat(3) }), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(bounds, items, async ({ atOnce, most }, calls) => {
      let running = 0;
      const read = joinReads<number, number>({
        atOnce,
        most,
        isOneItemsFault: () => false,
        read: async (group) => {
          expect(++running).toBeLessThanOrEqual(atOnce);
          expect(group.length).toBeLessThanOrEqual(most);
          await new Promise((resolve) => setImmediate(resolve));
          running--;
          return group.map((it) => it * 2);
        },
      });
      const results = calls.map(async ({ item, waits }) => {
        for (let n = 0; n < waits; n++) await new Promise((resolve) => setImmediate(resolve));
        return await read(item);
      });
      expect(await Promise.all(results)).toEqual(calls.map(({ item }) => item * 2));
    }),
    { numRuns: 50 },
  );
});

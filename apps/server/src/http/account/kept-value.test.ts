import { expect, test } from "vitest";
import { keptValue } from "./routes.ts";

test("a value is read once a minute, whoever asks, and the former one is returned meanwhile", async () => {
  let nowMs = 0;
  const reads: PromiseWithResolvers<number>[] = [];
  const ask = keptValue({
    forMs: 60_000,
    now: () => nowMs,
    read: () => {
      const reading = Promise.withResolvers<number>();
      reads.push(reading);
      return reading.promise;
    },
  });
  const first = Array.from({ length: 100 }, ask);
  expect(reads).toHaveLength(1);
  reads[0]?.resolve(1);
  expect(new Set(await Promise.all(first))).toEqual(new Set([1]));
  nowMs = 59_999;
  expect(await ask()).toBe(1);
  expect(reads).toHaveLength(1);
  nowMs = 60_000;
  expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
  expect(reads).toHaveLength(2);
  reads[1]?.resolve(2);
  await reads[1]?.promise;
  expect(await ask()).toBe(2);
});

test("a failed reading fails for those who have no value yet, and is repeated", async () => {
  let count = 0;
  const ask = keptValue({
    forMs: 1000,
    now: () => 0,
    read: async () => {
      count += 1;
      if (count === 1) throw new Error("no database");
      return count;
    },
  });
  await expect(ask()).rejects.toThrow("no database");
  expect(await ask()).toBe(2);
});

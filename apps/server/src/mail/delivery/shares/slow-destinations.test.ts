import { expect, test } from "vitest";
import { SlowDestinations } from "./slow-destinations.ts";

test("each slow attempt halves the concurrent attempts, a quick one doubles them, and the limit expires", () => {
  const slow = new SlowDestinations();
  const limits = [1, 2, 3, 4].map((at) => {
    slow.noteSlow("slow.example", at);
    return slow.limitOf("slow.example", at);
  });
  expect(limits).toEqual([4, 2, 1, 1]);
  expect(slow.limitOf("quick.example", 4)).toBe(Number.POSITIVE_INFINITY);
  expect(slow.limitOf("slow.example", 16 * 60_000)).toBe(Number.POSITIVE_INFINITY);
  const after = [1, 2, 3].map(() => {
    slow.noteQuick("slow.example");
    return slow.limitOf("slow.example", 5);
  });
  expect(after).toEqual([2, 4, Number.POSITIVE_INFINITY]);
});

test("at most the latest ten thousand slow destinations are remembered", () => {
  const slow = new SlowDestinations();
  for (let index = 0; index < 10_001; index++) slow.noteSlow(`${index}.example`, 0);
  expect(slow.limitOf("0.example", 0)).toBe(Number.POSITIVE_INFINITY);
  expect(slow.limitOf("1.example", 0)).toBe(4);
});

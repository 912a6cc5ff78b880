import { expect, test } from "vitest";
import { drifted, STRIP_COPIES, stripTimes, wrapped } from "./use-strip.ts";

const step = { now: 1000, elapsedMs: 100, width: 900 };

test("the strip drifts to the left in proportion to the elapsed time", () => {
  expect(drifted({ x: -10, restsUntil: 0 }, step)).toBeCloseTo(-10 - stripTimes.pixelsPerSecond / 10);
});

test("the strip does not move while it is held, nor until its rest is over", () => {
  expect(drifted({ x: -10, restsUntil: Number.POSITIVE_INFINITY }, step)).toBe(-10);
  expect(drifted({ x: -10, restsUntil: 1000 + stripTimes.restMs }, step)).toBe(-10);
  expect(drifted({ x: -10, restsUntil: 1000 }, step)).toBeLessThan(-10);
});

test.each([
  [0, 0],
  [-1, -1],
  [-899, -899],
  [-900, 0],
  [-901, -1],
  [-2701, -1],
  [1, -899],
  [900, 0],
  [1801, -899],
])("position %s shows the same as position %s", (x, same) => {
  expect(wrapped(x, 900)).toBe(same);
});

test("without a known width the strip does not move", () => {
  expect(wrapped(-20, 0)).toBe(0);
});

test("the rest time is the specification's, and at least three copies cover a wide window", () => {
  expect(stripTimes.restMs).toBe(500);
  expect(STRIP_COPIES).toBeGreaterThan(2);
});

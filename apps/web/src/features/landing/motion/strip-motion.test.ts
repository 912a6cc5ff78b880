import { expect, test } from "vitest";
import { drifted, stripCopies, stripTimes, wrapped } from "./strip-motion.ts";

const step = { now: 1000, elapsedMs: 100, width: 900 };

test("it drifts to the left by the time that has passed", () => {
  expect(drifted({ x: -10, restsUntil: 0 }, step)).toBeCloseTo(-10 - stripTimes.pixelsPerSecond / 10);
});

test("it stays while it is held, and until its rest is over", () => {
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
])("at %s it shows the same as at %s", (x, same) => {
  expect(wrapped(x, 900)).toBe(same);
});

test("before it has a width it stands still", () => {
  expect(wrapped(-20, 0)).toBe(0);
});

test("it rests for the specification's time, and there are enough copies for one to be left behind", () => {
  expect(stripTimes.restMs).toBe(500);
  expect(stripCopies).toBeGreaterThan(2);
});

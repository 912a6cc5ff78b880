import { expect, test } from "vitest";
import { UsedTime } from "./fair-line.ts";

test("time halves every thirty seconds", () => {
  let nowMs = 0;
  const used = new UsedTime(() => nowMs);
  used.add("a", 100);
  nowMs = 30_000;
  expect(used.msOf("a")).toBeCloseTo(50);
  used.add("a", 100);
  expect(used.msOf("a")).toBeCloseTo(150);
  expect(used.msOf("b")).toBe(0);
});

test("time is charged to an account and its block: neither other blocks nor other accounts avoid it", () => {
  const used = new UsedTime(() => 0);
  used.add("192.0.2 mallory", 1000);
  // Mallory from another block, another account on the block, strangers of the block, and people elsewhere.
  expect(used.msOf("198.51.100 mallory")).toBe(1000);
  expect(used.msOf("192.0.2 eve")).toBe(1000);
  expect(used.msOf("192.0.2")).toBe(1000);
  expect(used.msOf("198.51.100 ann")).toBe(0);
  const waiting = ["192.0.2 mallory", "198.51.100 mallory", "192.0.2 eve", "198.51.100 ann"];
  expect(used.leastOf(waiting)).toBe("198.51.100 ann");
  // Among those of the block, the account that used the least itself comes first.
  expect(used.leastOf(waiting.slice(0, 3))).toBe("192.0.2 eve");
  expect(used.leastOf([])).toBeUndefined();
});

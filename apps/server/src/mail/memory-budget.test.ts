import { expect, test } from "vitest";
import { MemoryBudget } from "./memory-budget.ts";

test("bytes that do not fit are not counted in the budget", () => {
  const budget = new MemoryBudget(100);
  expect(budget.take(60)).toBe(true);
  expect(budget.take(41)).toBe(false);
  expect(budget.usedBytes).toBe(60);
  budget.give(60);
  expect(budget.take(100)).toBe(true);
});

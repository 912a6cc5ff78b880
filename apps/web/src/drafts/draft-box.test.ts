import { expect, test } from "vitest";
import { overLimits } from "./draft-box.ts";

const row = (name: string, savedAt: number, sizeBytes: number) => ({ name, savedAt, sizeBytes });

test("the oldest drafts give way when they are too many or too large together, the newest never", () => {
  const rows = [row("old", 1, 5), row("new", 3, 5), row("middle", 2, 5)];
  const limits = (perAccountMax: number, perAccountMaxBytes: number) => ({ perAccountMax, perAccountMaxBytes });
  expect(overLimits(rows, limits(3, 15))).toEqual([]);
  expect(overLimits(rows, limits(2, 15))).toEqual(["old"]);
  expect(overLimits(rows, limits(3, 14))).toEqual(["old"]);
  expect(overLimits(rows, limits(3, 1))).toEqual(["middle", "old"]);
});

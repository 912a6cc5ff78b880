import { expect, test } from "vitest";
import type { PeerRow } from "../peers/peer-rows.ts";
import { compare, comparedText, comparisons } from "./comparisons.ts";

function compared(title: string, cpu: Partial<Record<PeerRow, number>>, cell: { sizeBytes: number; sessions: number }) {
  const comparison = comparisons.find((one) => one.title === title)!;
  const result = compare(comparison, { cpuOf: (row) => cpu[row] ?? null }, cell);
  return result === null ? null : comparedText(result);
}

const at = (sizeBytes: number, sessions = 20) => ({ sizeBytes, sessions });

test("a ratio to the ceiling relay is judged by the size's limit", () => {
  const title = "cut-through / ceiling relay";
  expect(compared(title, { "cut-through": 1.3, ceiling: 1 }, at(4096))).toBe("1.30x (<= 1.6x, met)");
  expect(compared(title, { "cut-through": 1.3, ceiling: 1 }, at(51_200))).toBe("1.30x (<= 1.6x, met)");
  expect(compared(title, { "cut-through": 1.3, ceiling: 1 }, at(1_048_576))).toBe("1.30x (<= 1.2x, missed)");
});

test("a peer must need at least a multiple", () => {
  expect(compared("Postfix / cut-through", { "cut-through": 1, postfix: 7.1 }, at(4096, 100))).toBe(
    "7.10x (>= 6x, met)",
  );
  expect(compared("Haraka / cut-through", { "cut-through": 1, haraka: 7.1 }, at(1_048_576))).toBe(
    "7.10x (>= 8x, missed)",
  );
});

test("checks are judged by what they add", () => {
  expect(compared("checks - cut-through", { "cut-through": 1, checks: 1.3 }, at(4096))).toBe("+0.30 (<= 0.35, met)");
});

test("a single session has no target, and neither has a deferral of 1 MiB", () => {
  expect(compared("cut-through / ceiling relay", { "cut-through": 2, ceiling: 1 }, at(4096, 1))).toBe("2.00x");
  expect(compared("destination defers first", { "spool-deferred": 22 }, at(1_048_576))).toBe("22.00");
});

test("a row that was not measured is not compared", () => {
  expect(compared("cut-through / ceiling relay", { "cut-through": 2 }, at(4096))).toBeNull();
});

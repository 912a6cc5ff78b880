import { expect, test } from "vitest";
import { busyTicks, loadLines } from "./other-load.ts";

const quiet = { before: [0.1, 0.2, 0.3], after: [3, 2, 1], otherCores: 0.04, cores: 2 };

test("a run is not disturbed by the load that the benchmark itself makes", () => {
  expect(loadLines(quiet)).toEqual([
    "load average 0.1 0.2 0.3 before, 3.0 2.0 1.0 after, on 2 cores, of which other programs occupied 0.04 on average",
  ]);
});

test("a run during which other programs used the cores says so", () => {
  expect(loadLines({ ...quiet, otherCores: 0.8 })[1]).toMatch(/^DISTURBED/);
});

test("where other programs cannot be counted, only the load average is shown", () => {
  expect(loadLines({ ...quiet, otherCores: null })).toEqual([
    "load average 0.1 0.2 0.3 before, 3.0 2.0 1.0 after, on 2 cores",
  ]);
});

test("time that a core spends on interrupts is busy time, and time that it waits for a disk is not", () => {
  const stat = "cpu  100 20 3000 40000 500000 6 70 8 9 10\ncpu0 1 1 1 1 1 1 1 1 1 1\n";
  expect(busyTicks(stat)).toBe(100 + 20 + 3000 + 6 + 70 + 8);
});

import { expect, test } from "vitest";
import { addTallies, tallyOf, unsteadyTests, type VitestReport } from "./test-report.ts";

const report = (change: Partial<VitestReport> = {}): VitestReport => ({
  numPassedTests: 3,
  numFailedTests: 0,
  numPendingTests: 1,
  testResults: [{ status: "passed", assertionResults: [{ status: "passed" }] }],
  ...change,
});

test("tests are counted by their status in the report", () => {
  expect(tallyOf(report({ numFailedTests: 2 }), 1)).toEqual({ passed: 3, failed: 2, skipped: 1 });
  expect(tallyOf(report(), 0)).toEqual({ passed: 3, failed: 0, skipped: 1 });
});

test("a file that broke before its tests ran counts as one failed test", () => {
  const testResults = [{ status: "failed", assertionResults: [] }];
  expect(tallyOf(report({ testResults }), 1).failed).toBe(1);
});

test("a file whose tests failed is not counted twice", () => {
  const testResults = [{ status: "failed", assertionResults: [{ status: "failed" }] }];
  expect(tallyOf(report({ numFailedTests: 1, testResults }), 1).failed).toBe(1);
});

test("a run without any test counts as failed", () => {
  expect(tallyOf(null, 0).failed).toBe(1);
  expect(tallyOf(report({ numPassedTests: 0, testResults: [] }), 0).failed).toBe(1);
  expect(tallyOf(report(), 1).failed).toBe(1);
});

test("a test that passed only on its second run is named", () => {
  const assertionResults = [
    { status: "passed", fullName: "steady", failureMessages: [] },
    { status: "passed", fullName: "unsteady", failureMessages: ["Error: too early"] },
    { status: "failed", fullName: "broken", failureMessages: ["Error: too early", "Error: too early"] },
  ];
  expect(unsteadyTests(report({ testResults: [{ status: "failed", assertionResults }] }))).toEqual(["unsteady"]);
  const cost = { status: "passed", name: "/a/list-cost.test.ts", assertionResults };
  expect(unsteadyTests(report({ testResults: [cost] }))).toEqual([]);
  expect(unsteadyTests(null)).toEqual([]);
});

test("tallies add up", () => {
  const one = { passed: 1, failed: 2, skipped: 3 };
  expect(addTallies([one, one])).toEqual({ passed: 2, failed: 4, skipped: 6 });
});

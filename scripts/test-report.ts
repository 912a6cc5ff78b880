/**
 * Counts the results of one vitest run from its JSON report and its exit code. Pure functions; a run without any test
 * is a failure.
 */

export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

/** The fields of vitest's JSON report from which the results are counted. */
export interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests?: number;
  testResults: { status: string; name?: string; assertionResults: TestReport[] }[];
}

interface TestReport {
  status: string;
  fullName?: string;
  /** Error messages of each failed run of the test, also if it passed in the end. */
  failureMessages?: string[];
}

/**
 * @param report vitest's JSON report; `null` if the run wrote none
 * @returns counts in which a file that broke before its tests ran is one failed test, and so is a run without tests,
 * without a report, or with an error outside any test
 */
export function tallyOf(report: VitestReport | null, exitCode: number): Tally {
  if (report === null) return { passed: 0, failed: 1, skipped: 0 };
  const brokenFiles = report.testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  ).length;
  const passed = report.numPassedTests;
  const failed = report.numFailedTests + brokenFiles;
  const isUnexplained = failed === 0 && (exitCode !== 0 || passed === 0);
  return { passed, failed: isUnexplained ? 1 : failed, skipped: report.numPendingTests + (report.numTodoTests ?? 0) };
}

/**
 * @returns the names of tests that failed, ran again, and passed: either the test or the code has a fault. Tests of
 * costs are left out, because the best of their measurements counts.
 */
export function unsteadyTests(report: VitestReport | null): string[] {
  return (report?.testResults ?? [])
    .filter((file) => file.name?.endsWith("-cost.test.ts") !== true)
    .flatMap((file) => file.assertionResults)
    .filter((test) => test.status === "passed" && (test.failureMessages?.length ?? 0) > 0)
    .map((test) => test.fullName ?? "a test without a name");
}

export function addTallies(tallies: readonly Tally[]): Tally {
  return tallies.reduce(
    (sum, each) => ({
      passed: sum.passed + each.passed,
      failed: sum.failed + each.failed,
      skipped: sum.skipped + each.skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );
}

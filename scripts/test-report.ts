/** Counts what a vitest run came to, from its JSON report and its exit code. Pure; a run that proves nothing is a failure. */

export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

/** The part of vitest's JSON report that is read. */
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
  /** What each try that failed told, also of a test that passed at last. */
  failureMessages?: string[];
}

/**
 * @param report `null` when the run left none
 * @returns files that broke before their tests count as one failed each; so do a run without tests, without a report, or with
 * an error outside any test
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
 * @returns the names of tests that failed, ran again, and passed: each has a fault, in itself or in what it tests. Of a cost the
 * best look counts, so those are left out.
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

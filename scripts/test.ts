/**
 * Runs every check of a plan (`test.ts quick|all|check|e2e|long`), one after the other, and does not stop when one
 * fails. Ends with `N passed, N failed` alone on a line; exit code 1 if anything failed.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findTestPostgres, startTestPostgres } from "../apps/server/src/store/postgres/postgres.testing.ts";
import { type Check, type Plan, plans, type StaticCheck, type Suite } from "./checks.ts";
import { ensureChromium } from "./install-chromium.ts";
import { runCaptured, runShown } from "./run-check.ts";
import { repositoryRoot } from "./source-files.ts";
import { addTallies, type Tally, tallyOf, unsteadyTests, type VitestReport } from "./test-report.ts";

const root = repositoryRoot();
const oneFailed: Tally = { passed: 0, failed: 1, skipped: 0 };
const onePassed: Tally = { passed: 1, failed: 0, skipped: 0 };

async function runStatic(check: StaticCheck): Promise<Tally> {
  const { code, output } = await runCaptured(check.args, check.cwd ?? root);
  if (code === 0) return onePassed;
  console.log(output.trimEnd());
  return oneFailed;
}

async function runSuite(suite: Suite): Promise<Tally> {
  const prepared = suite.inBrowser === true ? await prepareBrowser() : await preparePostgres(suite);
  if (prepared === null) return oneFailed;
  const folder = mkdtempSync(join(tmpdir(), "kauke-test-"));
  const report = join(folder, "report.json");
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  // Hundreds of processes load the same files: the compile cache lets each file be compiled once.
  const compiled = { NODE_COMPILE_CACHE: join(root, "node_modules/.kauke-compiled") };
  const environment: NodeJS.ProcessEnv = { ...compiled, ...process.env, ...suite.environment, ...prepared.environment };
  const named = process.argv.slice(3);
  if (named.length > 0) delete environment.KAUKE_TESTS;
  const code = await runShown(
    [vitest, "run", ...reporters, ...suite.args, ...(named.length > 0 ? named : (suite.files ?? []))],
    root,
    environment,
  );
  const results = readReport(report);
  const tally = tallyOf(results, code);
  for (const name of unsteadyTests(results))
    console.log(`Failed at first, passed when run again (to be fixed): ${name}`);
  rmSync(folder, { recursive: true, force: true });
  await prepared.end();
  return tally;
}

interface Prepared {
  environment: Record<string, string>;
  end(): Promise<void>;
}

/**
 * Starts one PostgreSQL for the whole run, in which every test file creates databases of its own: starting one takes
 * longer than most test files.
 */
async function preparePostgres({ environment }: Suite): Promise<Prepared> {
  if (environment?.KAUKE_TESTS === "quick" || !findTestPostgres().found)
    return { environment: {}, end: async () => {} };
  const postgres = await startTestPostgres();
  return { environment: { DATABASE_URL_TEST: await postgres.createDatabase() }, end: () => postgres.stop() };
}

/** Finds a browser and builds the web app for the browser tests. @returns `null` after printing what is missing */
async function prepareBrowser(): Promise<Prepared | null> {
  const browser = ensureChromium();
  if ("problem" in browser) {
    console.log(browser.problem);
    return null;
  }
  const { code, output } = await runCaptured(["scripts/build-web.mjs"], root);
  if (code !== 0) console.log(output.trimEnd());
  return code === 0 ? { environment: { CHROMIUM_PATH: browser.path }, end: async () => {} } : null;
}

function readReport(file: string): VitestReport | null {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as VitestReport;
  } catch {
    return null;
  }
}

async function runPlan(checks: readonly Check[]): Promise<Tally> {
  const tallies: Tally[] = [];
  for (const [index, check] of checks.entries()) {
    console.log(`\n[${index + 1}/${checks.length}] ${check.title}`);
    const begun = performance.now();
    const tally = await (check.kind === "static" ? runStatic(check) : runSuite(check));
    tallies.push(tally);
    console.log(`${tally.failed === 0 ? "ok" : "FAILED"} (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
  }
  const failedTitles = checks.filter((_, index) => tallies[index]?.failed !== 0).map((check) => check.title);
  if (failedTitles.length > 0) console.log(`\nFailed: ${failedTitles.join("; ")}`);
  return addTallies(tallies);
}

function helpOf(plan: Plan): string {
  const list = plans[plan].map((check, index) => `  ${index + 1}. ${check.title}`);
  return [
    `What runs, one after the other:\n${list.join("\n")}`,
    "Arguments after -- go to vitest, e.g. the name of a file, or -t and a part of a test's name.",
    ...(plan === "long" ? ["The long rounds may take hours; give a file to run one of them."] : []),
  ].join("\n\n");
}

const asked = process.argv[2] ?? "";
if (Object.hasOwn(plans, asked) && process.argv.includes("--help")) {
  console.log(helpOf(asked as Plan));
} else if (!Object.hasOwn(plans, asked)) {
  console.error(`Usage: node scripts/test.ts ${Object.keys(plans).join("|")} [arguments for vitest]`);
  process.exitCode = 1;
} else {
  const { passed, failed, skipped } = await runPlan(plans[asked as Plan]);
  if (skipped > 0)
    console.log(`\nSkipped, for npm run test:long or because a program named above is missing: ${skipped}`);
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

/**
 * The checks that `npm test`, `test:all`, `check`, `e2e` and `test:long` run, in this order, as data. A static check is one
 * program: its exit code decides, and it counts as one test. A suite is one vitest run, whose JSON report gives the
 * counts.
 */
import { join } from "node:path";
import { repositoryRoot } from "./source-files.ts";

export interface StaticCheck {
  kind: "static";
  title: string;
  /** Arguments for Node. */
  args: readonly string[];
  cwd?: string;
}

export interface Suite {
  kind: "suite";
  title: string;
  /** Arguments for `vitest run`. */
  args: readonly string[];
  /** Folders and files that the suite runs unless the caller names others. Default: all. */
  files?: readonly string[];
  environment?: Readonly<Record<string, string>>;
  /** Whether the suite needs the built web app and a browser. */
  inBrowser?: boolean;
}

export type Check = StaticCheck | Suite;

export type Plan = "quick" | "all" | "check" | "e2e" | "long";

const tool = (path: string) => join(repositoryRoot(), "node_modules", path);
const tsc = tool("typescript/bin/tsc");

/** Biome options: files that git ignores (data, test results) are not checked. */
const asGitIgnores = ["--vcs-enabled=true", "--vcs-client-kind=git", "--vcs-use-ignore-file=true"];

const staticChecks: readonly StaticCheck[] = [
  { kind: "static", title: "Types (server, packages, scripts)", args: [tsc, "-p", "tsconfig.json"] },
  { kind: "static", title: "Types (web)", args: [tsc, "-p", "apps/web/tsconfig.json"] },
  {
    kind: "static",
    title: "Lint and import cycles",
    args: [tool("oxlint/bin/oxlint"), "-c", "oxlint.json", "--type-aware", "--deny-warnings"],
  },
  { kind: "static", title: "Import boundaries", args: ["scripts/check-boundaries.ts"] },
  {
    kind: "static",
    title: "Format",
    args: [tool("@biomejs/biome/bin/biome"), "check", "--error-on-warnings", ...asGitIgnores],
  },
  {
    kind: "static",
    title: "Unused files, exports and dependencies",
    args: [tool("knip/bin/knip.js"), "--no-progress", "--no-config-hints"],
  },
  { kind: "static", title: "Lock file and licences", args: ["scripts/check-lock.mjs"] },
  { kind: "static", title: "Words that must not occur", args: ["scripts/check-words.ts"] },
];

const unit: Suite = { kind: "suite", title: "Unit and package tests", args: [] };

const journeys: Suite = {
  kind: "suite",
  title: "Browser journeys",
  args: ["--config", "e2e/vitest.config.ts"],
  inBrowser: true,
};

/**
 * The suite of `npm run test:long`: all unit tests with more rounds, and the files named `*.long.test.ts`, which no
 * other plan runs.
 */
const long: Suite = {
  kind: "suite",
  title: "Long rounds",
  args: ["--testTimeout", "3600000"],
  environment: { LONG_ROUNDS: "1" },
};

/** The suite without the tests of testkit/src/depth.ts. */
const quick = (suite: Suite): Suite => ({ ...suite, environment: { KAUKE_TESTS: "quick" } });

export const plans: Readonly<Record<Plan, readonly Check[]>> = {
  quick: [...staticChecks, quick(unit), quick(journeys)],
  all: [...staticChecks, unit, journeys],
  check: [...staticChecks, quick(unit)],
  e2e: [journeys],
  long: [long, { ...journeys, environment: { LONG_ROUNDS: "1" } }],
};

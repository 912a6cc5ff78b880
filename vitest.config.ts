import { deepTests, isQuickRun } from "@kauke/testkit/depth";
import { testsOfEngine } from "@kauke/testkit/engine-tests";
import { slowestFilesFirst } from "@kauke/testkit/slowest-first";
import { defineConfig } from "vitest/config";

const costs = "**/*-cost.test.ts";
/** Said here because a project's `exclude` replaces the one of the command line. */
const leftOut = [
  ...(process.env.LONG_ROUNDS === "1" ? [] : ["**/*.long.test.ts"]),
  ...(isQuickRun ? deepTests : []),
  ...testsOfEngine,
];

/** Files that measure the memory or the time of their own process, or keep something for all of their tests. */
const inOwnProcess = [
  "apps/server/test/attack-mx.test.ts",
  "apps/server/test/attacks/policy/leak-guard.test.ts",
  "apps/server/test/attacks/memory.test.ts",
  "apps/server/test/durability/kill-9*.test.ts",
  "apps/server/test/provider-rounds.test.ts",
  "apps/server/test/operator/reopen.test.ts",
];

/** Seconds that the slowest test files take while four others run. */
const longestS = {
  "operator/start": 50,
  canary: 50,
  "durability/kill-9": 45,
  "durability/kill-9-composed": 45,
  "attacks/sign-in": 45,
  "operator/backup": 40,
  "operator/close": 40,
  "operator/kauke-users": 40,
  "attacks/memory": 38,
  "durability/kill-9-workers": 38,
  "durability/journal": 38,
  "test/direct": 36,
  "replies/compose": 34,
  "embedded/embedded-store": 34,
  "operator/kauke-command": 30,
  "operator/kauke-keys": 30,
  "attacks/deletion": 28,
  "store/schema": 28,
  "attacks/poison": 27,
  "attacks/one-byte-chunks": 25,
  "vault/key-import": 25,
  "policy/leak-guard": 25,
  "policy/dmarc-by-slow-dns": 24,
  "attacks/http-connections": 24,
  "attacks/connections": 22,
  "attacks/disk": 20,
  "attacks/queue": 20,
  "attacks/event-loop": 20,
  "attacks/tables": 20,
  "embedded/embedded-upkeep": 18,
  "sealing/dkim-keys": 18,
  "scripts/checks": 18,
};

// Unit and package tests. The browser journeys have their own configuration (e2e/vitest.config.ts).
export default defineConfig({
  test: {
    globalSetup: ["testkit/src/empty-database.ts"],
    setupFiles: [
      "testkit/src/begin-with-empty-database.ts",
      "testkit/src/patient-waits.ts",
      "testkit/src/skip-engine-tests.ts",
    ],
    pool: "forks",
    // Of this configuration, not of a project's: vitest sorts the files of all projects together.
    sequence: { sequencer: slowestFilesFirst(longestS) },
    // More processes than cores: tests of a whole server wait for sockets and timers half of their time.
    maxWorkers: 5,
    // Databases live for seconds: optimizing their WebAssembly takes longer than running it as it was first compiled.
    execArgv: ["--wasm-tiering-budget=200000000"],
    testTimeout: 90_000,
    hookTimeout: 120_000,
    // Where a failure stops everybody's work (CI), a test that fails runs once more, and is named at the end if it then passes.
    retry: process.env.CI === "true" ? 1 : 0,
    expect: { poll: { timeout: 30_000, interval: 50 } },
    projects: [
      {
        extends: true,
        test: {
          name: "parts",
          include: [
            "apps/*/src/**/*.test.{ts,tsx}",
            "packages/**/*.test.ts",
            "testkit/**/*.test.ts",
            "scripts/**/*.test.ts",
            "bench/**/*.test.ts",
          ],
          exclude: [costs, ...leftOut],
          // Files share their processes: loading what they test would take longer than testing it.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "server",
          include: ["apps/server/test/**/*.test.ts"],
          exclude: [costs, ...leftOut, ...inOwnProcess],
          // As above: a process of its own costs a file 1.9 seconds of the processor.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "alone",
          include: inOwnProcess,
          exclude: ["**/node_modules/**", ...leftOut],
        },
      },
      {
        extends: true,
        test: {
          name: "costs",
          include: [costs],
          exclude: ["**/node_modules/**", ...leftOut],
          // After all others, each file with a core of its own. What else a machine does only adds to a figure: one look in
          // three that shows the promised cost proves it.
          sequence: { groupOrder: 1 },
          maxWorkers: 2,
          retry: 2,
        },
      },
    ],
  },
});

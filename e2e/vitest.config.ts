/**
 * Configuration of the browser journeys (`npm run e2e`). They need the built web app and a Chromium; `scripts/test.ts`
 * provides both.
 */
import { fileURLToPath } from "node:url";
import { deepJourneys, isQuickRun } from "@kauke/testkit/depth";
import { testsOfEngine } from "@kauke/testkit/engine-tests";
import { defineConfig } from "vitest/config";
import { SlowestFirst } from "./slowest-first.ts";

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: {
    include: ["e2e/**/*.e2e.ts"],
    exclude: ["**/node_modules/**", ...(isQuickRun ? deepJourneys : []), ...testsOfEngine],
    globalSetup: ["testkit/src/empty-database.ts", "e2e/first-start.ts"],
    setupFiles: ["testkit/src/skip-engine-tests.ts"],
    pool: "forks",
    // Test files share processes and with them the browser: starting both takes two seconds of processor time.
    isolate: false,
    sequence: { sequencer: SlowestFirst },
    // Four files at once keep two cores busy: a journey waits for a third of its time.
    maxWorkers: 4,
    // Prevents optimized compilation of WebAssembly, as for the unit tests: the servers' embedded databases live for
    // seconds only.
    execArgv: ["--wasm-tiering-budget=200000000"],
    // Time limits are generous because of slow machines; every wait is for something visible.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // In CI, where a failure stops everybody's work, a failed test runs once more, and is named at the end if it then
    // passes.
    retry: process.env.CI === "true" ? 1 : 0,
    expect: { poll: { timeout: 30_000, interval: 50 } },
  },
});

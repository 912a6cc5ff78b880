/** The browser journeys: `npm run e2e`. They need the built web app and a Chromium; `scripts/test.ts` sees to both. */
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { DearestFirst } from "./dearest-first.ts";

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: {
    include: ["e2e/**/*.e2e.ts"],
    globalSetup: ["testkit/src/empty-database.ts", "e2e/first-start.ts"],
    pool: "forks",
    // Files share their processes and with them the browser: starting both takes two seconds of the processor.
    isolate: false,
    sequence: { sequencer: DearestFirst },
    // A journey waits for a fifth of its time.
    maxWorkers: 3,
    // As in the unit tests: the servers' databases live for seconds.
    execArgv: ["--wasm-tiering-budget=200000000"],
    // Generous: a busy machine is slow, not broken. What waits, waits for something it sees.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Where a failure stops everybody's work (CI), a test that fails runs once more, and is named at the end if it then passes.
    retry: process.env.CI === "true" ? 1 : 0,
    expect: { poll: { timeout: 30_000, interval: 50 } },
  },
});

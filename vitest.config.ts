import { defineConfig } from "vitest/config";

// Unit and package tests. The browser journeys have their own configuration (e2e/vitest.config.ts).
export default defineConfig({
  test: {
    globalSetup: ["testkit/src/empty-database.ts"],
    setupFiles: ["testkit/src/begin-with-empty-database.ts", "testkit/src/patient-waits.ts"],
    pool: "forks",
    // Many wait for sockets and timers more than for the processor.
    maxWorkers: 3,
    // Databases live for seconds: optimizing their WebAssembly takes longer than running it as it was first compiled.
    execArgv: ["--wasm-tiering-budget=200000000"],
    testTimeout: 90_000,
    hookTimeout: 120_000,
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
          ],
          // Files share their processes: loading what they test would take longer than testing it.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "server",
          include: ["apps/server/test/**/*.test.ts"],
        },
      },
    ],
  },
});

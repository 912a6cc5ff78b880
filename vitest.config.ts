import { defineConfig } from "vitest/config";

// Unit and package tests. The browser journeys have their own configuration (e2e/vitest.config.ts).
export default defineConfig({
  test: {
    include: ["apps/**/*.test.{ts,tsx}", "packages/**/*.test.ts", "testkit/**/*.test.ts", "scripts/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    globalSetup: ["testkit/src/empty-database.ts"],
    setupFiles: ["testkit/src/begin-with-empty-database.ts"],
    pool: "forks",
    // Many wait for sockets and timers more than for the processor.
    maxWorkers: 2,
    testTimeout: 90_000,
    hookTimeout: 120_000,
  },
});

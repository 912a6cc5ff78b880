import { expect, test } from "vitest";
import { forecastPasswordWork } from "./password-cipher.ts";

test("the forecast is 64 times a trial run, and making it takes at least as long as the trial", async () => {
  const startMs = performance.now();
  const seconds = await forecastPasswordWork();
  const tookMs = performance.now() - startMs;
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual((tookMs * 64) / 1000);
});

import { defaultRetrySchedule, scheduleSeconds } from "@kauke/mail-rfc";
import { expect, test } from "vitest";
import { retryPlan } from "./backoff.ts";

const now = new Date("2026-11-27T00:00:00Z");
const waits = (schedule: readonly number[], maxRetries?: number) => {
  const plan = retryPlan(
    schedule,
    () => now,
    () => 0,
  );
  const seconds: number[] = [];
  for (let attempts = 1; ; attempts += 1) {
    const next = plan.next({ attempts, ...(maxRetries === undefined ? {} : { maxRetries }) });
    if (next === null) return seconds;
    seconds.push((next.getTime() - now.getTime()) / 1000);
  }
};

test("forwarded mail is retried for five days", () => {
  expect(waits(defaultRetrySchedule)).toEqual(defaultRetrySchedule);
  expect(scheduleSeconds(waits(defaultRetrySchedule))).toBe(5 * 86_400);
});

test("composed mail is retried after ten minutes, two and twelve hours, so that a host that restarts loses nothing", () => {
  expect(waits(defaultRetrySchedule, 3)).toEqual([600, 7200, 43_200]);
  expect(waits(defaultRetrySchedule, 1)).toEqual([600]);
});

test("a schedule that the operator has set holds for composed mail too", () => {
  expect(waits([1, 2, 3, 4, 5], 3)).toEqual([1, 2, 3]);
});

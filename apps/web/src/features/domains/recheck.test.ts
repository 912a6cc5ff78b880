import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { recheckDelayMs, repeatCheck } from "./recheck.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function tab() {
  let isHidden = false;
  const listeners = new Set<() => void>();
  return {
    listeners,
    show: (shown: boolean) => {
      isHidden = !shown;
      for (const listener of listeners) listener();
    },
    isHidden: () => isHidden,
    onChange: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);

test("the delay doubles from 15 seconds to 2 minutes", () => {
  expect([0, 1, 2, 3, 4, 400].map(recheckDelayMs)).toEqual([15_000, 30_000, 60_000, 120_000, 120_000, 120_000]);
});

test("a check is repeated later each time, and soon again after one that found something new", async () => {
  const found = [false, true, false];
  const check = vi.fn(async () => found.shift() ?? false);
  const stop = repeatCheck(check, tab());
  await seconds(14);
  expect(check).toHaveBeenCalledTimes(0);
  await seconds(1);
  expect(check).toHaveBeenCalledTimes(1);
  await seconds(30);
  expect(check).toHaveBeenCalledTimes(2);
  await seconds(15);
  expect(check).toHaveBeenCalledTimes(3);
  stop();
  await seconds(1000);
  expect(check).toHaveBeenCalledTimes(3);
});

test("a hidden tab checks nothing, and what fell due meanwhile is checked when it is shown", async () => {
  const shown = tab();
  const check = vi.fn(async () => false);
  const stop = repeatCheck(check, shown);
  await seconds(10);
  shown.show(false);
  await seconds(3600);
  expect(check).toHaveBeenCalledTimes(0);
  shown.show(true);
  await seconds(0);
  expect(check).toHaveBeenCalledTimes(1);
  stop();
  expect(shown.listeners.size).toBe(0);
});

test("a check that is still running is not begun again", async () => {
  const shown = tab();
  let respond: (found: boolean) => void = () => {};
  const check = vi.fn(() => new Promise<boolean>((resolve) => void (respond = resolve)));
  const stop = repeatCheck(check, shown);
  await seconds(15);
  shown.show(false);
  shown.show(true);
  await seconds(300);
  expect(check).toHaveBeenCalledTimes(1);
  respond(false);
  await seconds(30);
  expect(check).toHaveBeenCalledTimes(2);
  stop();
});

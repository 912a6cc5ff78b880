import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Logger } from "../../runtime/ports.ts";
import { laterWork } from "./later-work.ts";

const logged: string[] = [];
const log = (event: string) => void logged.push(event);
const logger: Logger = { info: log, warn: log, error: log };
/** Source of random bytes that lead to a fixed delay. @param share delay as a share of the maximum, e.g. 0.5 */
const drawn = (share: number) => ({ bytes: () => Buffer.from([Math.floor(share * 256), 0]), uuid: () => "" });

beforeEach(() => {
  vi.useFakeTimers();
  logged.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

it.each([0.25, 0.75])("starts after a random delay: %d of the maximum", async (share) => {
  const later = laterWork({ logger, random: drawn(share), spreadMs: 1000 });
  const work = vi.fn(async () => {});
  later.runAtRandomTime("failed", work);
  await vi.advanceTimersByTimeAsync(share * 1000 - 1);
  expect(work).toHaveBeenCalledTimes(0);
  await vi.advanceTimersByTimeAsync(2);
  expect(work).toHaveBeenCalledTimes(1);
});

it("runs waiting work at once when the server closes, and logs a failure", async () => {
  const later = laterWork({ logger, random: drawn(0.99) });
  const work = vi.fn(() => Promise.reject(new Error("someone@example.org")));
  later.runAtRandomTime("mail_failed", work);
  await later.settled();
  expect(work).toHaveBeenCalledTimes(1);
  expect(logged).toEqual(["mail_failed"]);
  await vi.runAllTimersAsync();
  expect(work).toHaveBeenCalledTimes(1);
});

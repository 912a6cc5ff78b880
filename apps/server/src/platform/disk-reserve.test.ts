import { tmpdir } from "node:os";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type WatchedDisk, watchDisk } from "./disk-reserve.ts";

let disk: WatchedDisk;
beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  disk.close();
  vi.useRealTimers();
});

test("the share is 1 above the reserve and falls to 0 below it; written bytes count before the next measurement", async () => {
  let free = 3000;
  let asked = 0;
  const freeBytes = async () => {
    asked++;
    return free;
  };
  disk = await watchDisk({ dataDir: "/data", reserveBytes: 1000, freeBytes });
  expect(disk.share()).toBe(1);
  disk.take(2500);
  expect(disk.share()).toBe(0.5);
  disk.take(9000);
  expect(disk.share()).toBe(0);
  free = 250;
  await vi.advanceTimersByTimeAsync(2000);
  expect(disk.share()).toBe(0.25);
  expect(asked).toBe(2);
});

test("without a reserve the share is always 1", async () => {
  disk = await watchDisk({ dataDir: "/data", reserveBytes: 0, freeBytes: async () => 10 });
  disk.take(1000);
  expect(disk.share()).toBe(1);
});

test("the free space of a real disk is read; if it can't be read, no limit applies", async () => {
  disk = await watchDisk({ dataDir: tmpdir(), reserveBytes: 2 ** 60 });
  expect(disk.share()).toBeGreaterThan(0);
  expect(disk.share()).toBeLessThan(1);
  disk.close();
  disk = await watchDisk({ dataDir: "/no/such/directory", reserveBytes: 2 ** 60 });
  expect(disk.share()).toBe(1);
});

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ListCache } from "./list-cache.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function openCache() {
  const cache = new ListCache<string>({ allBytes: 100, listBytes: 60, keptMs: 1000 });
  const read: string[] = [];
  const get = (account: string, mark = "1", bytes = 40) =>
    cache.get(account, mark, async () => {
      read.push(`${account} ${mark}`);
      return { items: [`${account} ${mark}`], bytes };
    });
  return { cache, get, read };
}

test("a list is read once for a mark, by concurrent requests too, and again for another mark", async () => {
  const { get, read } = openCache();
  expect(await Promise.all([get("ann"), get("ann")])).toEqual([["ann 1"], ["ann 1"]]);
  expect(await get("ann")).toEqual(["ann 1"]);
  expect(await get("ann", "2")).toEqual(["ann 2"]);
  expect(await get("ann", "1")).toEqual(["ann 1"]);
  expect(read).toEqual(["ann 1", "ann 2", "ann 1"]);
});

test("a list that is still being read under an older mark is neither returned nor kept for the newer one", async () => {
  const { cache, get } = openCache();
  const slow = Promise.withResolvers<{ items: string[]; bytes: number }>();
  const old = cache.get("ann", "1", () => slow.promise);
  expect(await get("ann", "2")).toEqual(["ann 2"]);
  slow.resolve({ items: ["old"], bytes: 40 });
  expect(await old).toEqual(["old"]);
  expect(await get("ann", "2")).toEqual(["ann 2"]);
});

test("two readings under the same mark, with another between them, are counted once", async () => {
  const { cache, get, read } = openCache();
  const slow = [1, 2].map(() => Promise.withResolvers<{ items: string[]; bytes: number }>());
  const first = cache.get("ann", "1", async () => (await slow[0]?.promise) ?? { items: [], bytes: 0 });
  await get("ann", "2");
  const second = cache.get("ann", "1", async () => (await slow[1]?.promise) ?? { items: [], bytes: 0 });
  for (const { resolve } of slow) resolve({ items: ["ann"], bytes: 40 });
  expect(await Promise.all([first, second])).toEqual([["ann"], ["ann"]]);
  await get("bob");
  read.length = 0;
  expect([await get("ann"), await get("bob")]).toEqual([["ann"], ["bob 1"]]);
  expect(read).toEqual([]);
});

test("the least recently used lists make room, and a list above its share is not kept", async () => {
  const { get, read } = openCache();
  for (const account of ["ann", "bob", "ann", "cleo"]) await get(account);
  read.length = 0;
  for (const account of ["ann", "cleo"]) await get(account);
  expect(read).toEqual([]);
  await get("bob");
  expect(read).toEqual(["bob 1"]);
  for (let times = 0; times < 2; times++) await get("mallory", "1", 61);
  await get("bob");
  expect(read).toEqual(["bob 1", "mallory 1", "mallory 1"]);
});

test("a list is dropped after its time, and a failed reading is repeated", async () => {
  const { cache, get, read } = openCache();
  await get("ann");
  vi.advanceTimersByTime(1000);
  await get("ann");
  expect(read).toEqual(["ann 1", "ann 1"]);
  await expect(cache.get("bob", "1", () => Promise.reject(new Error("no database")))).rejects.toThrow("no database");
  expect(await get("bob")).toEqual(["bob 1"]);
});

import { expect, it, test } from "vitest";
import { Backoff, busyRule, slowRule } from "./backoff.ts";

test("each slow attempt halves the concurrent attempts, a quick one doubles them, and the limit expires", () => {
  const slow = new Backoff(slowRule);
  const limits = [1, 2, 3, 4].map((at) => {
    slow.note("slow.example", at);
    return slow.limitOf("slow.example", at);
  });
  expect(limits).toEqual([4, 2, 1, 1]);
  expect(slow.limitOf("quick.example", 4)).toBe(Number.POSITIVE_INFINITY);
  const after = [1, 2, 3].map(() => {
    slow.noteSuccess("slow.example");
    return slow.limitOf("slow.example", 5);
  });
  expect(after).toEqual([2, 4, Number.POSITIVE_INFINITY]);
  slow.note("slow.example", 0);
  expect(slow.limitOf("slow.example", 16 * 60_000)).toBe(Number.POSITIVE_INFINITY);
});

test("at most the latest ten thousand slow destinations are remembered", () => {
  const slow = new Backoff(slowRule);
  for (let index = 0; index < 10_001; index++) slow.note(`${index}.example`, 0);
  expect(slow.limitOf("0.example", 0)).toBe(Number.POSITIVE_INFINITY);
  expect(slow.limitOf("1.example", 0)).toBe(4);
});

const key = "via example.org";

it("each busy reply doubles the pause and halves the attempts after it, each message taken undoes one step", () => {
  const busy = new Backoff(busyRule);
  expect(busy.limitOf(key, 0)).toBe(Number.POSITIVE_INFINITY);
  let now = 0;
  const seen: number[][] = [];
  for (let answer = 0; answer < 4; answer++) {
    busy.note(key, now);
    const pause = busy.pauseLeftMs(key, now);
    expect(busy.limitOf(key, now + pause - 1)).toBe(0);
    now += pause;
    seen.push([pause, busy.limitOf(key, now)]);
  }
  expect(seen).toEqual([
    [1000, 4],
    [2000, 2],
    [4000, 1],
    [8000, 1],
  ]);
  for (const limit of [1, 2, 4, Number.POSITIVE_INFINITY]) {
    busy.noteSuccess(key);
    expect(busy.limitOf(key, now)).toBe(limit);
  }
});

it("concurrent busy replies count once, a pause lasts five minutes at most, and entries expire", () => {
  const busy = new Backoff(busyRule);
  for (let attempt = 0; attempt < 20; attempt++) busy.note(key, attempt);
  expect(busy.pauseLeftMs(key, 0)).toBe(1000);
  let now = 0;
  for (let answer = 0; answer < 20; answer++) {
    now += busy.pauseLeftMs(key, now);
    busy.note(key, now);
  }
  expect(busy.pauseLeftMs(key, now)).toBe(300_000);
  expect(busy.limitOf(key, now + 300_000 + 900_001)).toBe(Number.POSITIVE_INFINITY);
});

it("ten messages taken lift the limit, however many hours the destination was busy", () => {
  const busy = new Backoff(busyRule);
  for (let answer = 0, now = 0; answer < 100; answer++, now += 300_000) busy.note(key, now);
  for (let taken = 0; taken < 10; taken++) busy.noteSuccess(key);
  expect(busy.limitOf(key, 100 * 300_000)).toBe(Number.POSITIVE_INFINITY);
});

it("at most ten thousand destinations are remembered: the one updated longest ago is evicted", () => {
  const busy = new Backoff(busyRule);
  for (let index = 0; index <= 10_000; index++) busy.note(`to ${index}.example`, 0);
  expect(busy.limitOf("to 0.example", 0)).toBe(Number.POSITIVE_INFINITY);
  expect(busy.limitOf("to 1.example", 0)).toBe(0);
});

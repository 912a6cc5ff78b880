import { expect, it } from "vitest";
import { BusyDestinations } from "./busy-destinations.ts";

const key = "via example.org";

it("each busy reply doubles the pause and halves the attempts after it, each message taken undoes one step", () => {
  const busy = new BusyDestinations();
  expect(busy.limitOf(key, 0)).toBe(Number.POSITIVE_INFINITY);
  let now = 0;
  const seen: number[][] = [];
  for (let answer = 0; answer < 4; answer++) {
    busy.noteBusy(key, now);
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
    busy.noteTaken(key);
    expect(busy.limitOf(key, now)).toBe(limit);
  }
});

it("concurrent busy replies count once, a pause lasts five minutes at most, and entries expire", () => {
  const busy = new BusyDestinations();
  for (let attempt = 0; attempt < 20; attempt++) busy.noteBusy(key, attempt);
  expect(busy.pauseLeftMs(key, 0)).toBe(1000);
  let now = 0;
  for (let answer = 0; answer < 20; answer++) {
    now += busy.pauseLeftMs(key, now);
    busy.noteBusy(key, now);
  }
  expect(busy.pauseLeftMs(key, now)).toBe(300_000);
  expect(busy.limitOf(key, now + 300_000 + 900_001)).toBe(Number.POSITIVE_INFINITY);
});

it("ten messages taken lift the limit, however many hours the destination was busy", () => {
  const busy = new BusyDestinations();
  for (let answer = 0, now = 0; answer < 100; answer++, now += 300_000) busy.noteBusy(key, now);
  for (let taken = 0; taken < 10; taken++) busy.noteTaken(key);
  expect(busy.limitOf(key, 100 * 300_000)).toBe(Number.POSITIVE_INFINITY);
});

it("at most ten thousand destinations are remembered: the one updated longest ago is evicted", () => {
  const busy = new BusyDestinations();
  for (let index = 0; index <= 10_000; index++) busy.noteBusy(`to ${index}.example`, 0);
  expect(busy.limitOf("to 0.example", 0)).toBe(Number.POSITIVE_INFINITY);
  expect(busy.limitOf("to 1.example", 0)).toBe(0);
});

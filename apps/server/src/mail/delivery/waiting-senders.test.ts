import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MemoryBudget } from "../../limits/bytes.ts";
import { ShutdownSignal } from "../../runtime/shutdown-signal.ts";
import { WaitingSenders } from "./waiting-senders.ts";

let now: number;
let budget: MemoryBudget;
let shutdown: ShutdownSignal;
let waiting: WaitingSenders;
let replied: string[];
let attempts: PromiseWithResolvers<void>[];
beforeEach(() => {
  now = 0;
  budget = new MemoryBudget(80);
  shutdown = new ShutdownSignal();
  waiting = new WaitingSenders({ budget, budgetMs: 60_000, shutdown, now: () => now });
  replied = [];
  attempts = [];
});
afterEach(() => {
  for (const attempt of attempts) attempt.resolve();
});

/** @param name account and sequence number. @returns function that ends the attempt and releases the bytes */
function add(name: string, bytes: number): () => Promise<void> {
  budget.take(bytes);
  const attempt = Promise.withResolvers<void>();
  attempts.push(attempt);
  const wait = waiting.wait([attempt.promise], { bytes, parties: () => [name.slice(0, 1)] });
  void wait.then(() => replied.push(name));
  return async () => {
    attempt.resolve();
    (await wait)();
  };
}

async function repliedTo(): Promise<string[]> {
  await nextTurn();
  return replied;
}

test("a sender waits until all attempts have ended, and while there is memory", async () => {
  const end = add("a1", 30);
  now = 5000;
  expect(budget.take(30)).toBe(true);
  expect(await repliedTo()).toEqual([]);
  await end();
  expect(await repliedTo()).toEqual(["a1"]);
});

test("a message without an attempt needs no wait", async () => {
  await waiting.wait([], { bytes: 1, parties: () => [] });
});

test("a sender waits for the budget of time at most, and half a second at shutdown", async () => {
  const never = new Promise(() => {});
  const short = new WaitingSenders({ budget, budgetMs: 20, shutdown });
  await short.wait([never], { bytes: 1, parties: () => [] });
  const before = performance.now();
  const ended = waiting.wait([never], { bytes: 1, parties: () => [] });
  shutdown.begin();
  await ended;
  expect(performance.now() - before).toBeLessThan(5000);
});

test("when memory gets short, senders to the account that used most for longest get their reply, as few as needed", async () => {
  for (const name of ["a1", "a2", "b1"]) {
    add(name, 20);
    now += 1000;
  }
  now += 1000;
  budget.take(15);
  expect(await repliedTo()).toEqual(["a1"]);
  // The message of a1 is being spooled, which will free its bytes: no other sender needs a reply.
  now += 1000;
  budget.take(1);
  expect(await repliedTo()).toEqual(["a1"]);
});

test("no sender gets a reply before its destinations had a quarter of a second", async () => {
  add("a1", 60);
  now = 200;
  budget.take(15);
  expect(await repliedTo()).toEqual([]);
  now = 300;
  budget.take(1);
  expect(await repliedTo()).toEqual(["a1"]);
});

test("a message whose bytes were released counts no more", async () => {
  await add("a1", 60)();
  now = 5000;
  add("b1", 1);
  now += 1000;
  budget.take(15);
  expect(await repliedTo()).toEqual(["a1", "b1"]);
});

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ConnectedExchanges, connectedWorkers, SHARED_AFTER_MS } from "./connected-exchanges.testing.ts";
import { ExchangedShares } from "./exchanged-shares.ts";
import type { ShareBatch, ShareExchange } from "./share-exchange.ts";
import type { WorkerShares } from "./worker-shares.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const settle = () => vi.advanceTimersByTime(3 * SHARED_AFTER_MS);

/** A worker that adds up, by key, the events that the other workers publish. */
function counting(shares: WorkerShares) {
  const seen = new Map<string, number>();
  const apply = (key: string, amount: number) => void seen.set(key, (seen.get(key) ?? 0) + amount);
  return { seen, publish: shares.events("spent", { apply }) };
}

const openConnections = (shares: WorkerShares) => shares.counts("open");

test("every other worker applies an event once, and its own worker does not", () => {
  const { workers } = connectedWorkers(4, counting);
  workers[0]?.publish("a");
  workers[0]?.publish("a", 2);
  workers[1]?.publish("b");
  vi.advanceTimersByTime(SHARED_AFTER_MS);
  expect(workers.map(({ seen }) => Object.fromEntries(seen))).toEqual([
    { b: 1 },
    { a: 3 },
    { a: 3, b: 1 },
    { a: 3, b: 1 },
  ]);
});

test("nothing is sent and no timer runs while nothing changes", () => {
  const { workers, sent } = connectedWorkers(4, counting);
  settle();
  expect(vi.getTimerCount()).toBe(0);
  const before = sent();
  settle();
  expect(sent()).toBe(before);
  workers[0]?.publish("a");
  expect(vi.getTimerCount()).toBe(1);
});

test("events of one key that follow one another are sent as their sum", () => {
  const { workers, sent } = connectedWorkers(4, counting);
  settle();
  const before = sent();
  for (let event = 0; event < 1000; event++) workers[0]?.publish("a");
  settle();
  expect(sent() - before).toBe(1);
  expect(workers[3]?.seen.get("a")).toBe(1000);
});

test("a count that returned to its last value is not sent", () => {
  const { workers, sent } = connectedWorkers(2, openConnections);
  settle();
  const before = sent();
  workers[0]?.add("a", 1);
  workers[0]?.add("a", -1);
  settle();
  expect(sent()).toBe(before);
});

test("counts of an ended worker no longer count", () => {
  const { workers, end } = connectedWorkers(4, openConnections);
  for (const worker of workers) worker.add("a", 5);
  settle();
  expect(workers[1]?.all("a")).toBe(20);
  end(0);
  expect([workers[1]?.all("a"), workers[1]?.others("a"), workers[1]?.total]).toEqual([15, 10, 15]);
});

test("a worker that starts later learns the counts of the others", () => {
  const { workers, start } = connectedWorkers(3, openConnections);
  for (const worker of workers) worker.add("a", 5);
  settle();
  const late = start();
  settle();
  expect(late.all("a")).toBe(15);
  expect(workers[0]?.all("a")).toBe(15);
});

test("counts below a 64th of a limit are not sent; those above are, until they are zero", () => {
  const { workers, sent } = connectedWorkers(2, (shares) => {
    const counts = shares.counts("open");
    counts.withholdBelow(256);
    return counts;
  });
  const [one, other] = workers as [ReturnType<typeof openConnections>, ReturnType<typeof openConnections>];
  settle();
  const before = sent();
  one.add("a", 3);
  settle();
  expect(sent()).toBe(before);
  const known = [1, -2, -1, -1].map((change) => {
    one.add("a", change);
    settle();
    return other.all("a");
  });
  expect(known).toEqual([4, 2, 1, 0]);
});

test("the number of keys and the total are counted over all workers", () => {
  const { workers } = connectedWorkers(2, openConnections);
  const [one, other] = workers as [ReturnType<typeof openConnections>, ReturnType<typeof openConnections>];
  one.add("both", 1);
  one.add("mine", 1);
  other.add("both", 2);
  other.add("theirs", 1);
  settle();
  expect([one.size, one.total, other.size, other.total]).toEqual([3, 5, 3, 5]);
  one.add("both", -1);
  settle();
  expect([one.size, other.size]).toEqual([3, 3]);
  other.add("both", -2);
  settle();
  expect([one.size, one.total, other.size, other.total]).toEqual([2, 2, 2, 2]);
});

test("a flood of keys is sent in bounded batches and never waits in memory beyond a bound", () => {
  const batches: ShareBatch[] = [];
  const exchange: ShareExchange = { self: 1, send: (it) => void batches.push(it), onBatch() {}, onGone() {} };
  const { publish } = counting(new ExchangedShares(exchange));
  for (let key = 0; key < 25_000; key++) publish(String(key));
  expect(batches.flat().length).toBeGreaterThanOrEqual(20_000);
  expect(Math.max(...batches.map(({ length }) => length))).toBe(1000);
});

test("keys of one worker beyond a bound are ignored", () => {
  const all = new ConnectedExchanges();
  const counts = new ExchangedShares(all.join()).counts("open");
  const flooding = all.join();
  flooding.send(Array.from({ length: 60_000 }, (_, key) => ["open", String(key), 1] as const));
  settle();
  expect(counts.size).toBe(50_000);
  all.end(flooding);
  expect([counts.size, counts.total]).toEqual([0, 0]);
});

test("changes of a limiter that a worker does not have are ignored", () => {
  const all = new ConnectedExchanges();
  const { seen } = counting(new ExchangedShares(all.join()));
  all.join().send([["unknown", "a", 1]]);
  settle();
  expect(seen.size).toBe(0);
});

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  connectedWorkers,
  flood,
  letWorkersKnow,
  OVERSHOOT,
} from "../../../core/worker-shares/connected-exchanges.testing.ts";
import type { WorkerShares } from "../../../core/worker-shares/worker-shares.ts";
import { taken } from "../../classify-reply.ts";
import type { Attempt } from "./running-attempt.ts";
import { directLimits, RunningAttempts } from "./running-attempts.ts";

const WORKERS = 4;
const limits = {
  ...directLimits,
  slow: { all: 60, account: 24, destination: 12 },
  sent: { all: 60, account: 24 },
};
const failed = { kind: "deferred", failure: { code: "timed_out", enhancedStatus: "4.4.2" } } as const;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Tried {
  account: string;
  destination: string;
  attempt: Attempt;
}

/** A worker's running attempts; an attempt that is told to stop ends at once. */
function tryingWith(shares: WorkerShares) {
  const attempts = new RunningAttempts(limits, undefined, shares);
  const running = new Set<Tried>();
  return {
    attempts,
    running,
    start,
    of: (account: string) => [...running].filter((it) => it.account === account).length,
  };

  function start(account: string, destination: string): Attempt | null {
    const attempt = attempts.start({ account, destination, sizeBytes: 1000 });
    if (attempt === null) return null;
    const tried = { account, destination, attempt };
    running.add(tried);
    attempt.addEventListener("abort", () => {
      running.delete(tried);
      attempts.finish(attempt, failed);
    });
    return attempt;
  }
}

type Trying = ReturnType<typeof tryingWith>;
const sum = (workers: readonly Trying[], count: (worker: Trying) => number) =>
  workers.reduce((total, worker) => total + count(worker), 0);

test("an account's attempts are limited over all workers, and another account may start its own", () => {
  const { workers } = connectedWorkers(WORKERS, tryingWith);
  const started = flood(workers, 1000, ({ start }, request) => start("ann", `${request}.example`) !== null);
  expect(started).toBeGreaterThanOrEqual(200);
  expect(started).toBeLessThanOrEqual(200 + OVERSHOOT);
  expect(workers.every(({ start }) => start("bob", "bob.example") !== null)).toBe(true);
});

// Control case: without the exchange of counts between workers the limit is exceeded.
test("without an exchange an account's attempts multiply", () => {
  const { workers } = connectedWorkers(WORKERS, tryingWith, false);
  expect(flood(workers, 1000, ({ start }, request) => start("ann", `${request}.example`) !== null)).toBe(800);
});

test("the attempts of a worker that ended no longer count", () => {
  const { workers, end } = connectedWorkers(WORKERS, tryingWith);
  flood(workers, 1000, ({ start }, request) => start("ann", `${request}.example`) !== null);
  letWorkersKnow();
  expect(workers[1]?.start("ann", "more.example")).toBeNull();
  end(0);
  expect(workers[1]?.start("ann", "more.example")).not.toBeNull();
});

test("a destination that was slow for an account in one worker has few of its attempts at a time over all", () => {
  const { workers } = connectedWorkers(WORKERS, tryingWith);
  const [first] = workers as [Trying];
  const slow = first.start("ann", "slow.example");
  vi.advanceTimersByTime(11_000);
  slow?.stop();
  letWorkersKnow();
  const started = flood(workers, 40, ({ start }) => start("ann", "slow.example") !== null);
  // Four concurrent attempts are allowed, plus those that workers began before they knew of each other's.
  expect(started).toBeGreaterThanOrEqual(4);
  expect(started).toBeLessThanOrEqual(WORKERS * 4);
  const more = workers.filter(({ start }) => start("ann", "slow.example") !== null);
  expect(more).toEqual([]);
  expect(workers.every(({ start }) => start("bob", "slow.example") !== null)).toBe(true);
  expect(workers.every(({ start }) => start("bob", "quick.example") !== null)).toBe(true);
});

test("a message taken anywhere shows that a slow destination is quick again", () => {
  const { workers } = connectedWorkers(WORKERS, tryingWith);
  const [first, second, third] = workers as [Trying, Trying, Trying];
  first.start("ann", "slow.example");
  vi.advanceTimersByTime(11_000);
  letWorkersKnow();
  const quick = second.start("ann", "slow.example") as Attempt;
  second.attempts.finish(quick, taken);
  letWorkersKnow();
  for (let request = 0; request < 10; request++) expect(third.start("ann", "slow.example")).not.toBeNull();
});

test("a provider that is busy for an account in one worker gets none of its mail from the others", () => {
  const { workers } = connectedWorkers(WORKERS, tryingWith);
  const [first, second] = workers as [Trying, Trying];
  const busy = first.start("ann", "ann.example");
  busy?.reachProvider("provider.example");
  busy?.noteBusy();
  letWorkersKnow();
  expect(second.start("ann", "ann2.example")?.reachProvider("provider.example")).toBe(false);
  expect(second.start("ann", "ann2.example")?.reachProvider("elsewhere.example")).toBe(true);
  expect(second.start("bob", "bob.example")?.reachProvider("provider.example")).toBe(true);
});

const slowParties = {
  "of an account": { most: limits.slow.account, destinationOf: (request: number) => `${request}.example` },
  "at a destination": { most: limits.slow.destination, destinationOf: () => "slow.example" },
};

test.each(Object.entries(slowParties))(
  "slow attempts %s are ended until all workers together have their share, and not more",
  (name, { most, destinationOf }) => {
    const { workers } = connectedWorkers(WORKERS, tryingWith);
    const accountOf = (request: number) => (name === "of an account" ? "ann" : `ann${request % 3}`);
    for (let request = 0; request < 80; request++)
      workers[request % WORKERS]?.start(accountOf(request), destinationOf(request));
    const bystanders = workers.map(({ start }) => start("bob", "bob.example"));
    vi.advanceTimersByTime(20_000);
    const left = sum(workers, ({ running }) => [...running].filter(({ account }) => account !== "bob").length);
    expect(left).toBe(most);
    expect(workers.every(({ running }) => running.size > 1)).toBe(true);
    expect(bystanders.some((attempt) => attempt?.aborted)).toBe(false);
  },
);

// Control case: without the exchange of counts between workers the limit is exceeded.
test("without an exchange slow attempts multiply", () => {
  const { workers } = connectedWorkers(WORKERS, tryingWith, false);
  for (let request = 0; request < 200; request++) workers[request % WORKERS]?.start("ann", `${request}.example`);
  vi.advanceTimersByTime(20_000);
  expect(sum(workers, ({ running }) => running.size)).toBe(WORKERS * limits.slow.account);
});

test("over the total of slow attempts, those of the party that has most over all workers end", () => {
  const { workers } = connectedWorkers(WORKERS, tryingWith);
  for (let request = 0; request < 20; request++) workers[request % WORKERS]?.start("ann", `ann${request}.example`);
  for (let account = 0; account < 12; account++)
    for (let request = 0; request < 4; request++)
      workers[request]?.start(`other${account}`, `${account}.${request}.example`);
  vi.advanceTimersByTime(20_000);
  expect(sum(workers, ({ running }) => running.size)).toBe(limits.slow.all);
  expect(sum(workers, ({ of }) => of("ann"))).toBe(20 - 8);
});

test("sent messages without a reply are limited over all workers", () => {
  const { workers } = connectedWorkers(WORKERS, tryingWith);
  for (let request = 0; request < 80; request++)
    workers[request % WORKERS]?.start("ann", `${request}.example`)?.sendEnd();
  vi.advanceTimersByTime(10_000);
  expect(sum(workers, ({ running }) => running.size)).toBe(limits.sent.account);
});

test("the delivery worker claims no more mail of an account whose slow attempts run in other workers", () => {
  const { workers } = connectedWorkers(WORKERS, tryingWith);
  for (let request = 0; request < limits.slow.account; request++)
    workers[1 + (request % 3)]?.start("ann", `${request}.example`);
  vi.advanceTimersByTime(15_000);
  expect(workers[0]?.attempts.slowAccounts()).toEqual(["ann"]);
});

test("slow attempts that ended no longer count for other workers", () => {
  const { workers } = connectedWorkers(WORKERS, tryingWith);
  const attempts = Array.from({ length: limits.slow.account }, (_, request) =>
    workers[1]?.start("ann", `${request}.example`),
  );
  vi.advanceTimersByTime(15_000);
  for (const attempt of attempts) attempt?.stop();
  letWorkersKnow();
  expect(workers[0]?.attempts.slowAccounts()).toEqual([]);
});

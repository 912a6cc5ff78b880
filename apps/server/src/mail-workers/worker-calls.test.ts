import { expect, test } from "vitest";
import type { OpenDelivery } from "../core/delivery/delivery.ts";
import { type OwnerStore, WorkerCalls } from "./worker-calls.ts";

const now = new Date("2026-01-02T03:04:05Z");
const lease = (token: string) => ({ token, until: now });
const delivery = (id: string, token: string | null) =>
  ({ id, lease: token === null ? null : lease(token) }) as OpenDelivery;

/** Calls of a worker to a store that records the methods called and their arguments. */
function callsToStore(isStoreDown: () => boolean = () => false) {
  const asked: unknown[] = [];
  const answer =
    (name: string) =>
    async (...args: unknown[]) => {
      if (isStoreDown()) throw new Error("down");
      asked.push([name, ...args]);
    };
  const store = {
    deliveries: {
      keep: answer("keep"),
      finish: answer("finish"),
      putBack: answer("putBack"),
      hasten: answer("hasten"),
    },
    inFlight: { keep: answer("keepFile"), forget: answer("forget"), moveToQueue: answer("moveToQueue") },
  } as unknown as OwnerStore;
  const logged: unknown[] = [];
  const log = (event: string, fields?: unknown) => void logged.push([event, fields]);
  const logger = { info: log, warn: log, error: log };
  const clock = { now: () => now };
  const isShuttingDown = () => false;
  const calls = new WorkerCalls({ store, server: {}, clock, logger, isShuttingDown, recoveryRetryMs: 1 });
  const run = (part: string, method: string, ...args: unknown[]) => calls.run({ part, method, args });
  return { calls, run, asked, logged };
}

test("leases of a worker that ended are given back; those of finished deliveries are not", async () => {
  const { calls, run, asked, logged } = callsToStore();
  await run("deliveries", "keep", {}, [delivery("a", "token a"), delivery("b", "token b"), delivery("c", null)]);
  await run("deliveries", "finish", "b", "token b", null);
  asked.length = 0;
  await calls.recover();
  expect(asked).toEqual([
    ["putBack", [{ id: "a", leaseToken: "token a", notBefore: now }]],
    ["hasten", ["a"], now],
  ]);
  expect(logged).toEqual([["leases_released", { count: 1 }]]);
});

test("messages in flight of a worker that ended are queued, due at once", async () => {
  const { calls, run, asked } = callsToStore();
  const message = { id: "m" };
  await run("inFlight", "keep", { message, delivery: delivery("a", "token a"), wire: Buffer.from("x") });
  await run("inFlight", "keep", { message: { id: "n" }, delivery: delivery("b", "token b"), wire: Buffer.from("y") });
  await run("inFlight", "forget", "n");
  asked.length = 0;
  await calls.recover();
  expect(asked).toEqual([["moveToQueue", { message, delivery: { id: "a", lease: null, notBefore: now }, wire: null }]]);
});

test("what a worker held is given back although the store is down for a while", async () => {
  let downs = 2;
  const { calls, run, asked } = callsToStore(() => downs > 0 && asked.length > 0 && downs-- > 0);
  await run("deliveries", "keep", {}, [delivery("a", "token a")]);
  await calls.recover();
  expect(asked).toContainEqual(["putBack", [{ id: "a", leaseToken: "token a", notBefore: now }]]);
  expect(calls.held).toBe(0);
});

test("the new lease of a delivery that a worker attempts replaces the old one", async () => {
  const { calls, run, asked } = callsToStore();
  await run("deliveries", "keep", {}, [delivery("a", "token a")]);
  expect(calls.takeOver("a", "newer")).toBe(true);
  expect(calls.takeOver("b", "newer")).toBe(false);
  await calls.recover();
  expect(asked).toContainEqual(["putBack", [{ id: "a", leaseToken: "newer", notBefore: now }]]);
});

test("a call that arrives after the worker has ended is refused, as the queue has its messages", async () => {
  const { calls, run, asked } = callsToStore();
  const flying = { message: { id: "m" }, delivery: delivery("a", "token a"), wire: Buffer.from("x") };
  await run("inFlight", "keep", flying);
  await calls.recover();
  asked.length = 0;
  await expect(run("inFlight", "moveToQueue", flying)).rejects.toMatchObject({ code: "unavailable" });
  expect(asked).toEqual([]);
});

test("a call that is running when the worker ends is awaited, and what it stored is given back", async () => {
  const { calls, run, asked } = callsToStore();
  const keeping = run("deliveries", "keep", {}, [delivery("a", "token a")]);
  await calls.recover();
  await keeping;
  expect(asked).toContainEqual(["putBack", [{ id: "a", leaseToken: "token a", notBefore: now }]]);
});

test("a message in flight that can't be queued does not keep back the others", async () => {
  let hasFailed = false;
  const { calls, run, asked } = callsToStore(() => !hasFailed && asked.length === 2 && (hasFailed = true));
  const first = { message: { id: "m" }, delivery: delivery("a", "token a"), wire: Buffer.from("x") };
  await run("inFlight", "keep", first);
  await run("inFlight", "keep", { ...first, message: { id: "n" }, delivery: delivery("b", "token b") });
  asked.length = 0;
  asked.push("two kept", "files");
  await calls.recover();
  const ids = asked.slice(2).map((call) => ((call as unknown[])[1] as { message: { id: string } }).message.id);
  expect(ids).toEqual(["n", "m"]);
});

test.each([
  ["deliveries", "claim"],
  ["users", "find"],
  ["constructor", "keys"],
  ["__proto__", "toString"],
  ["server", "toString"],
])("a worker may not call %s.%s", async (part, method) => {
  const { run, asked } = callsToStore();
  await expect(run(part, method)).rejects.toMatchObject({ code: "forbidden" });
  expect(asked).toEqual([]);
});

/** Tests when the delivery worker queries the queue, which is a list in these tests. */
import { randomUUID } from "node:crypto";
import { afterEach, expect, test, vi } from "vitest";
import type { DeliveryOutcome, LeasedDelivery } from "../../core/delivery/delivery.ts";
import { BackgroundMemory } from "../background-memory.ts";
import { MemoryBudget } from "../memory-budget.ts";
import { ShutdownSignal } from "../shutdown-signal.ts";
import { DeliveryWorker } from "./delivery-worker.ts";
import { HeldLeases } from "./held-leases.ts";
import { directLimits, RunningAttempts } from "./shares/running-attempts.ts";

const taken: DeliveryOutcome = { kind: "taken" };
let worker: DeliveryWorker;
afterEach(() => worker.close(0));

function delivery(domain: string, userId: string): LeasedDelivery {
  const now = new Date();
  const envelope = { envelopeFrom: "", helo: "", clientAddress: "", protocol: "SMTP" as const, receivedAt: now };
  return {
    id: randomUUID(),
    messageId: randomUUID(),
    aliasId: null,
    userId,
    attempts: 0,
    createdAt: now,
    sizeBytes: 1,
    leaseToken: "token",
    leasedUntil: new Date(now.getTime() + 60_000),
    target: { destination: { kind: "mailbox", address: `ann@${domain}` }, aliasAddress: "a@kauke.test" },
    envelope: { ...envelope, eightBit: false, smtpUtf8: false },
  };
}

/** @returns lists of due and running deliveries, and functions to end attempts */
function startWorker() {
  const due: LeasedDelivery[] = [];
  const running = new Map<LeasedDelivery, (outcome: DeliveryOutcome) => void>();
  const poison = new Set<string>();
  const settled = new Map<string, DeliveryOutcome>();
  let storeFailures = 0;
  const quiet = () => {};
  const logger = { info: quiet, warn: quiet, error: quiet };
  const metrics = { count: quiet, gauge: quiet };
  worker = new DeliveryWorker({
    deliveries: {
      claim: async ({ limit }) => ({ deliveries: due.splice(0, limit), unreadable: [], isMore: due.length > 0 }),
      extendLease: async () => true,
      putBack: async () => {},
      nextDueAt: async () => null,
      onWake: () => quiet,
    },
    bodies: { get: async () => Buffer.from("x") },
    attempt: (it) => new Promise((resolve) => running.set(it, resolve)),
    settle: async ({ id }, leaseToken, outcome) => {
      if (storeFailures-- > 0) throw new Error("the store is away");
      settled.set(`${id} ${leaseToken}`, outcome);
    },
    settleUnreadable: async () => {},
    leases: new HeldLeases({ shutdown: new ShutdownSignal(), logger, metrics }),
    makeCopy: async ({ id }) => {
      if (poison.has(id)) throw new RangeError("a message that no copy can be made of");
      return { copy: { onEvicted: null, release: quiet }, wasMissing: false } as never;
    },
    attempts: new RunningAttempts(directLimits),
    memory: new BackgroundMemory(new MemoryBudget(1_000_000)),
    clock: { now: () => new Date() },
    logger,
    metrics,
  });
  worker.start();
  const end = (it: LeasedDelivery) => {
    running.get(it)?.(taken);
    running.delete(it);
  };
  const runs = (count: number) => vi.waitFor(() => expect(running.size).toBe(count));
  const failStore = (times: number) => {
    storeFailures = times;
  };
  return { due, running, poison, settled, failStore, end, runs };
}

test("a wake-up while every slot is taken leads to a claim as soon as a slot is free", async () => {
  const { due, running, end, runs } = startWorker();
  const both = delivery("full.example", "busy");
  const others = Array.from({ length: 7 }, (_, index) => [
    delivery("full.example", `user ${index}`),
    delivery(`host${index}.example`, "busy"),
  ]).flat();
  const rest = Array.from({ length: 14 }, (_, index) => delivery(`rest${index}.example`, `rest ${index}`));
  const waiting = [delivery("full.example", "waits"), delivery("waits.example", "busy")];
  due.push(both, ...others, ...waiting, ...rest);
  worker.wake();
  await runs(29);
  due.push(delivery("one.example", "one"), delivery("two.example", "two"));
  worker.wake();
  await runs(31);
  // The end of `both` frees a slot of its account and one of its destination, for one waiting delivery each: 32 then
  // run, though the last claim found nothing more.
  end(both);
  await runs(32);
  const late = delivery("late.example", "late");
  due.push(late);
  worker.wake();
  for (const it of Array.from(running.keys())) end(it);
  await vi.waitFor(() => expect(running.has(late)).toBe(true), { timeout: 3000 });
  end(late);
});

test("a message that can't be copied is deferred by the retry schedule as one attempt, and others are delivered", async () => {
  const { due, running, poison, settled, end, runs } = startWorker();
  const [bad, good] = [delivery("one.example", "one"), delivery("two.example", "two")];
  poison.add(bad.id);
  due.push(bad, good);
  worker.wake();
  await runs(1);
  await vi.waitFor(() => expect(settled.get(`${bad.id} token`)).toMatchObject({ kind: "deferred" }));
  expect([...running.keys()]).toEqual([good]);
  end(good);
  await vi.waitFor(() => expect(settled.get(`${good.id} token`)).toEqual(taken));
});

test("a delivery that was taken is recorded once the store is back, and not sent again under a new lease", async () => {
  const { due, running, settled, failStore, end, runs } = startWorker();
  const one = delivery("one.example", "one");
  due.push(one);
  worker.wake();
  await runs(1);
  failStore(2);
  end(one);
  await vi.waitFor(() => expect(running.size).toBe(0));
  const [again, other] = [{ ...one, leaseToken: "the next lease" }, delivery("two.example", "two")];
  due.push(again, other);
  worker.wake();
  await runs(1);
  expect([...running.keys()]).toEqual([other]);
  await vi.waitFor(() => expect(settled.get(`${one.id} the next lease`)).toEqual(taken), { timeout: 5000 });
  end(other);
});

test("when the lease of a running attempt expires, no second attempt starts: the first ends under the new lease", async () => {
  const { due, running, settled, end, runs } = startWorker();
  const one = delivery("one.example", "one");
  due.push(one);
  worker.wake();
  await runs(1);
  const other = delivery("two.example", "two");
  due.push({ ...one, leaseToken: "the next lease" }, other);
  worker.wake();
  await vi.waitFor(() => expect(running.has(other)).toBe(true));
  expect([...running.keys()]).toEqual([one, other]);
  end(one);
  await vi.waitFor(() => expect([...settled.keys()]).toEqual([`${one.id} the next lease`]));
  end(other);
});

/** Tests when the delivery worker queries the queue, which is a list in these tests. */
import { randomUUID } from "node:crypto";
import { afterEach, expect, test, vi } from "vitest";
import type { ClaimOptions, DeliveryFailure, DeliveryOutcome, LeasedDelivery } from "../../core/delivery/delivery.ts";
import { ShutdownSignal } from "../../runtime/shutdown-signal.ts";
import { outcomeOnly, type SendReport } from "../transport/transport.ts";
import { HeldLeases, type SettleDeps } from "./settle.ts";
import { directLimits, RunningAttempts } from "./shares/running-attempts.ts";
import type { SpooledCopies } from "./spooled-copies.ts";
import { DeliveryWorker } from "./worker.ts";

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
function startWorker(extendLease = async () => true) {
  const due: LeasedDelivery[] = [];
  const running = new Map<LeasedDelivery, (report: SendReport) => void>();
  const poison = new Set<string>();
  const settled = new Map<string, DeliveryOutcome>();
  /** Number of deliveries that each claim returned. */
  const claims: number[] = [];
  const putBack: string[] = [];
  let storeFailures = 0;
  const quiet = () => {};
  const logger = { info: quiet, warn: quiet, error: quiet };
  const metrics = { count: quiet, gauge: quiet };
  const shutdown = new ShutdownSignal();
  const clock = { now: () => new Date() };
  /** Stores an outcome under a lease, unless the store is away. */
  const store = (id: string, leaseToken: string, outcome: DeliveryOutcome) => {
    if (storeFailures-- > 0) throw new Error("the store is away");
    settled.set(`${id} ${leaseToken}`, outcome);
  };
  const settling = {
    deliveries: {
      finish: async (id: string, leaseToken: string, failure: DeliveryFailure | null) => {
        store(id, leaseToken, failure === null ? taken : { kind: "refused", failure });
        return { finished: true, messageDone: null, isTakenByNone: false };
      },
      defer: async (id: string, leaseToken: string, { failure }: { failure: DeliveryFailure }) => {
        store(id, leaseToken, { kind: "deferred", failure });
        return true;
      },
    },
    failures: { report: async () => {} },
    retries: { next: () => new Date() },
  } as unknown as SettleDeps;
  const copies = {
    of: (it: LeasedDelivery) => ({
      known: null,
      open: async () => {
        if (poison.has(it.id)) throw new RangeError("a message that no copy can be made of");
        const copy = { onEvicted: quiet, correspondents: [], mailTo: async () => ({ delivery: it }) };
        return { copy, wasMissing: false, release: quiet };
      },
    }),
  };
  const send = ({ delivery }: { delivery: LeasedDelivery }) =>
    new Promise<SendReport>((resolve) => running.set(delivery, resolve));
  const transports = { mail: { send } };
  worker = new DeliveryWorker({
    queue: {
      claim: async (options) => {
        const deliveries = takeDue(due, options);
        claims.push(deliveries.length);
        return { deliveries, unreadable: [], isMore: due.length > 0, isCutShort: deliveries.length >= options.limit };
      },
      putBack: async (deliveries) => void putBack.push(...deliveries.map(({ id }) => id)),
      nextDueAt: async () => null,
      onWake: () => quiet,
    },
    attempts: {
      running: new RunningAttempts(directLimits),
      checks: {
        aliases: {} as never,
        domains: { whyNotSending: () => null },
        replyBook: {} as never,
        guard: null,
        shares: null,
      },
      transports: transports as never,
      health: { note: async () => {} },
      clock,
      logger,
    },
    copies: copies as unknown as SpooledCopies,
    leases: new HeldLeases({
      deliveries: { extendLease },
      settling,
      shutdown,
      clock,
      logger,
      metrics,
    }),
    settling,
    clock,
    logger,
    metrics,
  });
  worker.start();
  const end = (it: LeasedDelivery) => {
    running.get(it)?.(outcomeOnly(taken));
    running.delete(it);
  };
  const runs = (count: number) => vi.waitFor(() => expect(running.size).toBe(count));
  const failStore = (times: number) => {
    storeFailures = times;
  };
  return { due, running, claims, putBack, poison, settled, failStore, end, runs };
}

/** Takes deliveries from the list as a claim does: at most `limit`, and at most `perAccount` of one account. */
function takeDue(due: LeasedDelivery[], { limit, full = [], perAccount = limit }: ClaimOptions): LeasedDelivery[] {
  const counts = new Map<string | null, number>();
  const isWithinShare = ({ userId }: LeasedDelivery) => {
    counts.set(userId, (counts.get(userId) ?? 0) + 1);
    return !full.includes(userId ?? "") && (counts.get(userId) ?? 0) <= perAccount;
  };
  const claimed = due.filter(isWithinShare).slice(0, limit);
  for (const it of claimed) due.splice(due.indexOf(it), 1);
  return claimed;
}

test("what the operator took out of the queue fails without an attempt, however busy its account is", async () => {
  const { due, running, settled, runs } = startWorker();
  const dropped = Array.from({ length: 20 }, () => ({ ...delivery("slow.example", "busy"), isDropped: true as const }));
  const other = delivery("other.example", "busy");
  due.push(...dropped, other);
  worker.wake();
  await runs(1);
  await vi.waitFor(() => expect(settled.size).toBe(20));
  expect([...running.keys()]).toEqual([other]);
  const failure = { code: "dropped", enhancedStatus: "5.3.0" };
  for (const { id } of dropped) expect(settled.get(`${id} token`)).toEqual({ kind: "refused", failure });
});

test("a wake-up while every slot is taken leads to a claim as soon as a slot is free", async () => {
  const { due, running, end, runs } = startWorker();
  const both = delivery("full.example", "busy");
  const others = Array.from({ length: 7 }, (_, index) => [
    delivery("full.example", index < 2 ? "waits" : `user ${index}`),
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

test("a hundred due deliveries of one account take few claims, and another account's delivery doesn't wait for them", async () => {
  const { due, running, claims, putBack, end, runs } = startWorker();
  due.push(...Array.from({ length: 100 }, () => delivery("one.example", "busy")));
  worker.wake();
  await runs(8);
  // The account has its share of slots and waiting places, so the rest of its deliveries is not claimed yet.
  expect(claims).toEqual([0, 40]);
  const other = delivery("two.example", "other");
  due.push(other);
  await vi.waitFor(() => expect(running.has(other)).toBe(true), { timeout: 3000 });
  for (let left = 101; left > 0; left--) {
    await vi.waitFor(() => expect(running.size).toBeGreaterThan(0), { timeout: 3000 });
    end(running.keys().next().value as LeasedDelivery);
  }
  await runs(0);
  expect([due, putBack]).toEqual([[], []]);
  expect(claims.filter((count) => count > 0).length).toBeLessThanOrEqual(5);
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

test("a delivery whose lease is renewed while the worker closes is put back, and not sent", async () => {
  const renewed = Promise.withResolvers<boolean>();
  const renew = vi.fn(() => renewed.promise);
  const { due, running, putBack, end, runs } = startWorker(renew);
  const late = { ...delivery("late.example", "busy"), leasedUntil: new Date() };
  due.push(...Array.from({ length: 8 }, (_, index) => delivery(`host${index}.example`, "busy")), late);
  worker.wake();
  await runs(8);
  end(running.keys().next().value as LeasedDelivery);
  await vi.waitFor(() => expect(renew).toHaveBeenCalled());
  const closed = worker.close(1000);
  renewed.resolve(true);
  for (const it of Array.from(running.keys())) end(it);
  await closed;
  expect([running.size, putBack]).toEqual([0, [late.id]]);
});

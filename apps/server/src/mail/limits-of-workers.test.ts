import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { DeliveryOutcome } from "../core/delivery/delivery.ts";
import {
  fakedClock as clock,
  connectedWorkers,
  flood,
  letWorkersKnow,
  OVERSHOOT,
} from "../core/worker-shares/connected-exchanges.testing.ts";
import type { WorkerShares } from "../core/worker-shares/worker-shares.ts";
import { deferred, taken } from "./classify-reply.ts";
import { deliveryReports } from "./copy/delivery-reports.ts";
import { ReplyBook } from "./copy/reply-book.ts";
import { ConfirmationCaps } from "./queue/confirmation-caps.ts";
import { DestinationShares } from "./queue/shares/destination-shares.ts";
import { WaitingMail } from "./queue/waiting-mail.ts";
import { SpoolQuota } from "./receive/deliver/spool-quota.ts";
import { TakenFingerprints } from "./receive/deliver/taken-fingerprints.ts";
import { BounceLimits } from "./receive/reports/bounce-limits.ts";

const WORKERS = 4;
const hashKey = Buffer.alloc(32, 1);
let made = 0;
const random = { bytes: (length: number) => Buffer.alloc(length, ++made), uuid: () => `id ${++made}` };
const metrics = { count() {}, gauge() {} };
const logger = { info() {}, warn() {}, error() {} };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A limit, and requests of a party that uses it up and of a bystander that does not. */
interface Limited {
  limit: number;
  /** @returns decisions of a worker: whether it admits a request of the party, or of the bystander */
  make(shares: WorkerShares): { ask(request: number): boolean; askAsBystander(): boolean };
}

const limited: Record<string, Limited> = {
  "forwards to an unconfirmed mailbox": {
    limit: 20,
    make(shares) {
      const caps = new ConfirmationCaps(clock, shares);
      return {
        ask: (request) => caps.take(`user ${Math.floor(request / WORKERS) % 2}`, "ann@example.org"),
        askAsBystander: () => caps.take("user 3", "bob@example.org"),
      };
    },
  },
  "forwards of an account to an unconfirmed mailbox": {
    limit: 15,
    make(shares) {
      const caps = new ConfirmationCaps(clock, shares);
      return {
        ask: () => caps.take("user 1", "ann@example.org"),
        askAsBystander: () => caps.take("user 1", "bob@example.org"),
      };
    },
  },
  "mail of an account to one destination": {
    limit: 100,
    make(shares) {
      const rule = { max: 300, windowSeconds: 86_400 };
      const destinations = new DestinationShares({ rule, clock, random, metrics, hashKey, shares });
      const send = (userId: string, address: string) =>
        destinations.beforeRetry({
          userId,
          target: { destination: { kind: "mailbox", address }, aliasAddress: "a@kauke.test" },
        }) === null;
      return {
        ask: () => send("user 1", "ann@example.org"),
        askAsBystander: () => send("user 2", "ann@example.org"),
      };
    },
  },
  "bounces of one sender": {
    limit: 5,
    make(shares) {
      const bounces = new BounceLimits({ clock, random, hashKey, shares });
      const report = (aliasId: string, sender: string) => bounces.takeReport({ aliasId, userId: aliasId, sender });
      return {
        ask: (request) => report(`alias ${request}`, "ann@example.org"),
        askAsBystander: () => report("alias", "bob@example.org"),
      };
    },
  },
  "notices about one alias": {
    limit: 1,
    make(shares) {
      const bounces = new BounceLimits({ clock, random, hashKey, shares });
      return {
        ask: () => bounces.takeNotice({ aliasId: "ann", userId: "user 1" }),
        askAsBystander: () => bounces.takeNotice({ aliasId: "bob", userId: "user 2" }),
      };
    },
  },
  "delivery reports to one address": {
    limit: 10,
    make(shares) {
      let sent = 0;
      const reports = deliveryReports({
        deliveries: { keep: async () => {} } as never,
        // `clock.now` below counts the reports within the limit, since it is read only after the limit was checked.
        bodies: { put: async () => {}, delete: async () => {} } as never,
        reportingMta: "mail.kauke.test",
        clock: { ...clock, now: () => new Date(++sent) },
        random,
        logger,
        shares,
      });
      const report = (to: string) => {
        const before = sent;
        const mail = { aliasId: "alias", userId: "user 1", aliasAddress: "a@kauke.test", to };
        void reports.send({ ...mail, enhancedStatus: "5.1.1", arrivedAt: new Date(0) });
        return sent > before;
      };
      return { ask: () => report("ann@example.org"), askAsBystander: () => report("bob@example.org") };
    },
  },
};

/**
 * Maximum requests admitted beyond a limit before the workers know of each other's counts; each worker alone admits at
 * most `limit`.
 */
const overshootOf = (limit: number) => Math.min(OVERSHOOT, (WORKERS - 1) * limit);

test.each(Object.entries(limited))("the limit on %s holds over all workers", (_, { limit, make }) => {
  const { workers } = connectedWorkers(WORKERS, make);
  const admitted = flood(workers, 5 * WORKERS * limit, ({ ask }, request) => ask(request));
  expect(admitted).toBeGreaterThanOrEqual(limit);
  expect(admitted).toBeLessThanOrEqual(limit + overshootOf(limit));
  letWorkersKnow();
  expect(workers.some(({ ask }) => ask(0))).toBe(false);
  expect(workers[0]?.askAsBystander()).toBe(true);
});

// Control case: without the exchange of counts between workers the limit is exceeded.
test.each(Object.entries(limited))("without an exchange the limit on %s multiplies", (_, { limit, make }) => {
  const { workers } = connectedWorkers(WORKERS, make, false);
  expect(flood(workers, 5 * WORKERS * limit, ({ ask }, request) => ask(request))).toBe(WORKERS * limit);
});

test.each(Object.entries(limited))("a worker that starts later applies the limit on %s", (_, { limit, make }) => {
  const { workers, start } = connectedWorkers(WORKERS, make);
  flood(workers, 5 * WORKERS * limit, ({ ask }, request) => ask(request));
  const late = start();
  letWorkersKnow();
  expect(late.ask(0)).toBe(false);
  expect(late.askAsBystander()).toBe(true);
});

function bookWith(shares: WorkerShares) {
  const store = { ensure: async () => {}, listKnown: async () => new Set<string>() };
  const rules = { alias: { max: 20, windowSeconds: 86_400 }, account: { max: 40, windowSeconds: 86_400 } };
  const book = new ReplyBook(store, clock, rules, shares);
  return async (aliasId: string) => {
    const correspondents = [{ address: "ann@example.org", name: null, token: `${++made}`.padStart(26, "a") }];
    return !(await book.keep([{ aliasId, userId: "user", correspondents }])).has(aliasId);
  };
}

/** Sends 100 new correspondents of one alias to workers in turn. @returns number of those stored */
async function storeCorrespondents(workers: readonly ReturnType<typeof bookWith>[]): Promise<number> {
  let stored = 0;
  for (let request = 0; request < 100; request++) {
    if (await workers[request % WORKERS]?.("alias")) stored++;
    vi.advanceTimersByTime(10);
  }
  return stored;
}

test("new correspondents of an alias are limited over all workers, and without an exchange in each", async () => {
  const { workers } = connectedWorkers(WORKERS, bookWith);
  const stored = await storeCorrespondents(workers);
  expect(stored).toBeGreaterThanOrEqual(20);
  expect(stored).toBeLessThanOrEqual(20 + OVERSHOOT);
  expect(await workers[0]?.("other")).toBe(true);
  const alone = connectedWorkers(WORKERS, bookWith, false);
  expect(await storeCorrespondents(alone.workers)).toBe(WORKERS * 20);
});

const fingerprintsWith = (shares: WorkerShares) => new TakenFingerprints((data) => data, clock, shares);

test("what a destination took is known to the worker that the retry reaches, even one that started since", () => {
  const { workers, start } = connectedWorkers(WORKERS, fingerprintsWith);
  workers[0]?.add("taken");
  letWorkersKnow();
  const late = start();
  letWorkersKnow();
  expect([...workers, late].map((it) => it.has("taken"))).toEqual([true, true, true, true, true]);
  expect(late.has("other")).toBe(false);
  vi.advanceTimersByTime(3_600_000);
  expect([...workers, late].some((it) => it.has("taken"))).toBe(false);
  const [first, second] = connectedWorkers(2, fingerprintsWith, false).workers;
  first?.add("taken");
  letWorkersKnow();
  expect(second?.has("taken")).toBe(false);
});

/** Sends deliveries to one alias through 16 workers. @returns number of deliveries that its quota let into the spool */
async function fillQuota(isConnected: boolean): Promise<number> {
  let open = 0;
  const store = { countForAlias: async () => open };
  const { workers } = connectedWorkers(16, (shares) => new SpoolQuota(store, clock, shares), isConnected);
  for (let request = 0; request < 20_000; request++) {
    const quota = workers[request % workers.length] as SpoolQuota;
    if (!(await quota.isFull("alias"))) {
      open++;
      quota.watch("alias");
    }
    if (request % 10 === 0) vi.advanceTimersByTime(5);
  }
  return open;
}

test("undelivered mail of an alias is limited over 16 workers, and without an exchange exceeds the limit", async () => {
  const spooled = await fillQuota(true);
  expect(spooled).toBeGreaterThanOrEqual(1000);
  // The overshoot is what 45 ms admit at two deliveries a millisecond.
  expect(spooled).toBeLessThanOrEqual(1000 + 100);
  expect(await fillQuota(false)).toBeGreaterThan(3000);
});

/** @returns deliveries made due within a second in which every worker delivers a message to the destination 10 times */
function hastened(isConnected: boolean): number {
  let due = 0;
  const makeDue = (ids: readonly string[]) => void (due += ids.length);
  const make = (shares: WorkerShares) => new WaitingMail(undefined, undefined, shares, makeDue);
  const { workers } = connectedWorkers(WORKERS, make, isConnected);
  const unreached: DeliveryOutcome = deferred("unreachable", "4.4.1");
  for (const [index, worker] of workers.entries())
    for (let id = 0; id < 500; id++) worker.note("example.org", `${index} ${id}`, unreached);
  letWorkersKnow();
  for (let at = 0; at < 10; at++) {
    for (const worker of workers) {
      due += worker.note("example.org", "taken", taken).length;
      vi.advanceTimersByTime(20);
    }
  }
  return due;
}

test("a destination that is back gets one batch of waiting mail a second over all workers", () => {
  // The maximum allows one delivery more for each worker, because its part of the batch is rounded up.
  expect(hastened(true)).toBeLessThanOrEqual(50 + WORKERS);
  expect(hastened(true)).toBeGreaterThanOrEqual(50);
  expect(hastened(false)).toBe(WORKERS * 50);
});

import { randomUUID } from "node:crypto";
import { FakeAcme, problem } from "@kauke/testkit/fakes/fake-acme";
import { logSpy } from "@kauke/testkit/log-spy";
import { afterEach, beforeEach, expect, it } from "vitest";
import type {
  DueCertificate,
  OrderRecords,
  PolicyCertificateStore,
  PolicyOutcome,
} from "../../core/domain/policy-certificates.ts";
import { rateLimitRules } from "../../limits/named-limits.ts";
import { openStore, type Store } from "../../store/open-store.ts";
import { PolicyWorker } from "./policy-worker.ts";

const MINUTE = 60_000;
let store: Store;
let fake: FakeAcme;
let worker: PolicyWorker;
let time: Date;
let certificates: FakeCertificates;
let addresses: Set<string>;
const log = logSpy();

/** Claims whatever is due, of one account at a time. */
class FakeCertificates implements PolicyCertificateStore {
  readonly due = new Map<string, { userId: string; domain: string; dueAt: Date; isLeased: boolean }>();
  readonly #records = new Map<string, unknown>();

  add(userId: string, domain: string): string {
    const id = randomUUID();
    this.due.set(id, { userId, domain, dueAt: time, isLeased: false });
    return id;
  }

  async claimDue({ most }: { most: number }): Promise<DueCertificate[]> {
    const claimed: DueCertificate[] = [];
    for (const [domainId, row] of this.due) {
      const { userId, domain, dueAt } = row;
      const isBusy = [...this.due.values()].some((other) => other.isLeased && other.userId === userId);
      if (claimed.length >= most || row.isLeased || isBusy || dueAt > time) continue;
      row.isLeased = true;
      claimed.push({ domainId, userId, domain, leasedUntil: time });
    }
    return claimed;
  }

  async settle({ domainId }: DueCertificate, { dueAt }: PolicyOutcome): Promise<void> {
    const row = this.due.get(domainId);
    if (row !== undefined) Object.assign(row, { dueAt, isLeased: false });
  }

  recordsOf(domainId: string): OrderRecords {
    const key = (kind: string) => (kind === "account" ? kind : `${kind} ${domainId}`);
    return {
      read: async (kind) => this.#records.get(key(kind)) ?? null,
      write: async ({ kind, value }) => void this.#records.set(key(kind), value),
      delete: async (kind) => void this.#records.delete(key(kind)),
    };
  }
}

beforeEach(async () => {
  time = new Date();
  addresses = new Set();
  store = await openStore({ databaseUrl: null, dataDir: null, secretKey: null });
  fake = await FakeAcme.start();
  fake.order = problem(403, "rejectedIdentifier");
  certificates = new FakeCertificates();
  worker = new PolicyWorker({
    policyCertificates: certificates,
    directoryUrl: fake.directoryUrl,
    contact: null,
    hasAddress: async (host) => !addresses.has(host),
    clock: { now: () => time },
    logger: log,
    ca: fake.ca,
    limitRules: rateLimitRules(new Map([["policy_order_all", { max: 14, windowSeconds: 3600 }]])),
    rateLimits: store.rateLimits,
    pollMs: 10,
  });
});
afterEach(async () => {
  await worker.close();
  await store.close();
  await fake[Symbol.asyncDispose]();
});

const orders = () => fake.asked.filter((path) => path === "/order").length;
const isIdle = () => [...certificates.due.values()].every(({ dueAt, isLeased }) => !isLeased && dueAt > time);

it("an account with many domains orders its share, another the rest, and all of them no more than all may", async () => {
  const many = randomUUID();
  for (let index = 0; index < 30; index++) certificates.add(many, `d${index}.example`);
  worker.start();
  await expect.poll(isIdle, { timeout: 20_000 }).toBe(true);
  expect(orders()).toBe(10);
  for (let index = 0; index < 10; index++) certificates.add(randomUUID(), `e${index}.example`);
  await expect.poll(isIdle, { timeout: 20_000 }).toBe(true);
  expect(orders()).toBe(14);
});

it("a host that fails waits longer each time, by a part that differs, and is not ordered again by a new check", async () => {
  const id = certificates.add(randomUUID(), "bad.example");
  const row = certificates.due.get(id);
  worker.start();
  await expect.poll(isIdle).toBe(true);
  const waits: number[] = [];
  for (const least of [5, 15, 60]) {
    const waitMs = (row?.dueAt.getTime() ?? 0) - time.getTime();
    expect(waitMs).toBeGreaterThanOrEqual(least * MINUTE);
    expect(waitMs).toBeLessThanOrEqual(least * MINUTE * 1.26);
    waits.push(waitMs);
    if (row !== undefined) row.dueAt = time;
    await expect.poll(isIdle).toBe(true);
    expect(orders()).toBe(waits.length);
    time = row?.dueAt ?? time;
    await expect.poll(isIdle).toBe(true);
  }
  expect(JSON.stringify(log.events)).not.toContain("bad.example");
});

it("a host that does not lead here is not ordered", async () => {
  addresses.add("mta-sts.away.example");
  const id = certificates.add(randomUUID(), "away.example");
  worker.start();
  await expect.poll(isIdle).toBe(true);
  expect(orders()).toBe(0);
  expect(await certificates.recordsOf(id).read("state", "")).toMatchObject({ failure: "no_address", failures: 1 });
});

it("after a rate limit of the issuer all domains wait for some minutes", async () => {
  fake.order = problem(429, "rateLimited", { "retry-after": "86400" });
  certificates.add(randomUUID(), "one.example");
  worker.start();
  await expect.poll(isIdle).toBe(true);
  expect(orders()).toBe(1);
  certificates.add(randomUUID(), "two.example");
  await new Promise((done) => setTimeout(done, 100));
  expect(orders()).toBe(1);
  fake.order = problem(403, "rejectedIdentifier");
  time = new Date(time.getTime() + 6 * MINUTE);
  await expect.poll(isIdle).toBe(true);
  expect(orders()).toBe(2);
});

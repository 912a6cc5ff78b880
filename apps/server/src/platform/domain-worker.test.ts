import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { DueDomain } from "../core/domain/account-domain.ts";
import type { DomainLookUps } from "../core/domain/domain-dns.ts";
import { domainWorker } from "./domain-worker.ts";

/** Due domains, each of an account of its own, and a DNS that takes `dnsMs`. */
class World {
  due = 0;
  dnsMs = 10;
  claims = 0;
  running = 0;
  mostRunning = 0;
  saved = 0;
  released = 0;
  hasFailure = false;
  readonly warnings: string[] = [];

  readonly worker = domainWorker({
    clock: { now: () => new Date(), steadyMs: () => performance.now() },
    logger: { warn: (event) => void this.warnings.push(event) },
    domainRules: { mailHost: "mail.kauke.test", policyTarget: null },
    domainDns: { begin: () => this.#lookUps() },
    accountDomains: {
      find: async (userId, id) => ({ userId, id, domain: "own.example", token: "t", dkim: [], seen: [] }) as never,
      saveCheck: async () => {
        this.running -= 1;
        this.saved += 1;
        return "saved";
      },
      endAliases: async () => {},
    },
    domainRechecks: {
      claimDue: async ({ most }) => this.#claim(most),
      release: async () => void this.released++,
    },
  });

  #claim(most: number): DueDomain[] {
    this.claims += 1;
    if (this.hasFailure) throw new Error("no database");
    const count = Math.min(most, this.due);
    this.due -= count;
    return Array.from({ length: count }, (_, at) => ({
      id: String(at),
      userId: "u",
      leasedUntil: new Date(),
      isEnding: false,
    }));
  }

  #lookUps(): DomainLookUps {
    this.running += 1;
    this.mostRunning = Math.max(this.mostRunning, this.running);
    const wait = async () => {
      await new Promise((resolve) => setTimeout(resolve, this.dnsMs));
      return { kind: "failed" } as const;
    };
    return { txt: wait, mx: wait, addresses: wait, mailHostPassesSpf: async () => null };
  }
}

let world: World;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
  world = new World();
});
afterEach(async () => {
  await world.worker.close();
  vi.useRealTimers();
});
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test("all that is due is looked at, four at once, without a pause between", async () => {
  world.due = 20;
  world.worker.start();
  await pass(60);
  expect([world.saved, world.mostRunning]).toEqual([20, 4]);
});

test("with nothing due the database is asked once a minute", async () => {
  world.worker.start();
  await pass(600_000);
  expect(world.claims).toBeGreaterThanOrEqual(10);
  expect(world.claims).toBeLessThanOrEqual(11);
});

test("a stop waits for no DNS, makes what was claimed due again, and claims nothing more", async () => {
  world.due = 10;
  world.dnsMs = 5000;
  world.worker.start();
  await pass(100);
  await world.worker.close();
  expect([world.released, world.saved, world.due]).toEqual([4, 0, 6]);
  await pass(120_000);
  expect([world.saved, world.due]).toEqual([0, 6]);
});

test("a database that fails is asked again a minute later", async () => {
  world.hasFailure = true;
  world.worker.start();
  await pass(1000);
  world.hasFailure = false;
  world.due = 1;
  await pass(61_000);
  expect([world.warnings, world.saved]).toEqual([["domain_claim_failed"], 1]);
});

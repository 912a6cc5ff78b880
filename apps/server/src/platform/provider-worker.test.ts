import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type BringInput, type Brought, nothingKnown } from "../core/forwarding/forwarding-provider.ts";
import type { ClaimedAlias, ClaimOutcome } from "../core/forwarding/provider-alias.ts";
import { ProviderWorker } from "./provider-worker.ts";

const done: Brought = { kind: "done", isSure: true, known: nothingKnown };
const failed = (problem: "unreachable" | "conflict" | "busy"): Brought => ({
  ...done,
  kind: "failed",
  problem,
  retryAfterSeconds: null,
});

/** The outbox and the provider as the worker sees them; all aliases are deleted ones. */
class World {
  due = 0;
  claims: { most: number; at: number }[] = [];
  settled: ClaimOutcome[] = [];
  released = 0;
  running = 0;
  mostRunning = 0;
  warnings: string[] = [];
  onClaim: () => void | Promise<void> = () => {};
  bring: (signal: AbortSignal) => Promise<Brought> = async () => done;

  readonly worker = new ProviderWorker({
    clock: { now: () => new Date() },
    confirmation: null,
    logger: { warn: (event: string) => void this.warnings.push(event) },
    aliases: { find: async () => null },
    provider: { bring: (_input: BringInput, signal: AbortSignal) => this.#bring(signal) },
    providerAliases: {
      claim: async ({ most }: { most: number }) => {
        this.claims.push({ most, at: performance.now() });
        await this.onClaim();
        const count = Math.min(most, this.due);
        this.due -= count;
        return Array.from({ length: count }, () => ({ aliasId: "a", known: nothingKnown, tries: 0 }) as ClaimedAlias);
      },
      note: async () => true,
      settle: async (_claimed: ClaimedAlias, outcome: ClaimOutcome) => void this.settled.push(outcome),
      release: async () => void this.released++,
    },
  } as unknown as ConstructorParameters<typeof ProviderWorker>[0]);

  async #bring(signal: AbortSignal): Promise<Brought> {
    this.mostRunning = Math.max(this.mostRunning, ++this.running);
    try {
      return await this.bring(signal);
    } finally {
      this.running--;
    }
  }
}

const rejections: unknown[] = [];
const onRejection = (reason: unknown) => void rejections.push(reason);
let world: World;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
  process.on("unhandledRejection", onRejection);
  world = new World();
});
afterEach(async () => {
  await world.worker.close();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
  process.off("unhandledRejection", onRejection);
  expect(rejections.splice(0)).toEqual([]);
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const slow = (ms: number) => () => new Promise<Brought>((resolve) => setTimeout(() => resolve(done), ms));

describe("the provider worker", () => {
  test("carries out all that is due, four at a time, without waiting for its interval", async () => {
    world.due = 20;
    world.bring = slow(10);
    world.worker.start();
    await pass(60);
    expect(world.settled).toHaveLength(20);
    expect(world.mostRunning).toBe(4);
  });

  test("asks once a second when nothing is due", async () => {
    world.worker.start();
    await pass(10_000);
    expect(world.claims.length).toBeGreaterThanOrEqual(10);
    expect(world.claims.length).toBeLessThanOrEqual(11);
  });

  test("misses nothing that becomes due during a claim", async () => {
    let isFirst = true;
    world.onClaim = async () => {
      if (!isFirst) return;
      isFirst = false;
      await new Promise((resolve) => setTimeout(resolve, 100));
      setTimeout(() => {
        world.due = 1;
        world.worker.wake();
      }, 0);
      world.worker.wake();
    };
    world.worker.start();
    await pass(150);
    expect(world.settled).toHaveLength(1);
  });

  test("asks again a second after a claim that throws", async () => {
    world.due = 1;
    let failures = 3;
    world.onClaim = () => {
      if (failures-- > 0) throw new Error("no database");
    };
    world.worker.start();
    await pass(2500);
    expect(world.settled).toEqual([]);
    await pass(1000);
    expect(world.settled).toHaveLength(1);
    expect(world.warnings).toEqual(Array(3).fill("provider_claim_failed"));
  });

  test("goes on after a step that throws", async () => {
    world.due = 3;
    let isFirst = true;
    world.bring = async () => {
      if (!isFirst) return done;
      isFirst = false;
      throw new Error("unforeseen");
    };
    world.worker.start();
    await pass(10);
    expect(world.settled).toHaveLength(2);
    expect(world.warnings).toEqual(["provider_step_failed"]);
  });

  test("tries one alias after each pause of an outage, and all once it is over", async () => {
    world.due = 50;
    world.bring = async () => failed("unreachable");
    world.worker.start();
    await pass(4000);
    expect(world.settled).toHaveLength(4);
    await pass(10_000);
    expect(world.settled).toHaveLength(5);
    await pass(300_000);
    const tries = world.settled.length;
    expect(tries).toBeLessThanOrEqual(11);
    expect(world.warnings).toEqual(["provider_unavailable"]);
    world.bring = async () => done;
    await pass(60_000);
    expect(world.settled.length).toBe(50);
  });

  test.each(["conflict", "busy"] as const)("does not pause because of one alias that is %s", async (problem) => {
    world.due = 12;
    world.bring = async () => failed(problem);
    world.worker.start();
    await pass(10);
    expect(world.settled).toHaveLength(12);
  });

  test("ends calls in progress and claims nothing more when it is closed", async () => {
    world.due = 10;
    world.bring = (signal) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve(failed("unreachable"))));
    world.worker.start();
    await pass(10);
    await world.worker.close();
    expect(world.settled).toHaveLength(4);
    const claims = world.claims.length;
    world.worker.wake();
    await pass(60_000);
    expect(world.claims).toHaveLength(claims);
  });

  test("lets go of what it claimed while it was being closed", async () => {
    world.due = 3;
    world.onClaim = () => new Promise((resolve) => setTimeout(resolve, 50));
    world.worker.start();
    await pass(10);
    const closing = world.worker.close();
    await pass(50);
    await closing;
    expect([world.released, world.settled.length]).toEqual([3, 0]);
  });
});

import { expect, it } from "vitest";
import type { DeliveryOutcome } from "../../core/delivery/delivery.ts";
import { ShutdownSignal } from "../../runtime/shutdown-signal.ts";
import { type EndInFlightDeps, endInFlight, type RunningInFlight } from "./end-in-flight.ts";

const failure = () => Promise.reject(new Error("the store is gone"));

/** Ends an attempt. @returns what was called, in order */
async function end(outcome: Promise<DeliveryOutcome>, change: Partial<EndInFlightDeps> = {}): Promise<string[]> {
  const calls: string[] = [];
  const note = (name: string) => void calls.push(name);
  const shutdown = new ShutdownSignal();
  shutdown.begin();
  const deps = {
    inFlight: { forget: async () => note("forget"), moveToQueue: async () => (note("queue"), true) },
    settle: async ({ outcome: { kind } }: { outcome: DeliveryOutcome }) => note(`settle ${kind}`),
    leases: { settle: async (_: unknown, write: (token: string) => Promise<void>) => await write("t") },
    leaseMs: 1000,
    quota: { watch: () => note("watch") },
    shutdown,
    clock: { now: () => new Date() },
    logger: { info() {}, warn() {}, error: (event: string) => note(event) },
    ...change,
  } as unknown as EndInFlightDeps;
  const running = {
    message: { id: "m" },
    delivery: { aliasId: "a", lease: { token: "t", until: new Date() } },
    bytes: { wire: null },
    planned: { id: "d" },
    outcome,
    place: { stored: () => note("stored"), release: () => note("release") },
  } as unknown as RunningInFlight;
  await endInFlight(running, deps);
  return calls;
}

const taken = Promise.resolve({ kind: "taken" } as DeliveryOutcome);

it("a message that was taken is forgotten and its space released", async () => {
  expect(await end(taken)).toEqual(["forget", "release"]);
});

it("an attempt that throws has its message queued", async () => {
  expect(await end(failure())).toEqual(["queue", "stored", "watch", "settle deferred", "release"]);
});

it("space is released when the file can't be removed, and when the message can't be queued before a shutdown", async () => {
  const broken = { forget: failure, moveToQueue: failure } as unknown as EndInFlightDeps["inFlight"];
  expect(await end(taken, { inFlight: broken })).toEqual(["delivery_settle_failed", "release"]);
  const unreached = Promise.resolve({ kind: "deferred" } as DeliveryOutcome);
  expect(await end(unreached, { inFlight: broken })).toEqual(["spool_failed", "delivery_settle_failed", "release"]);
});

import { expect, it } from "vitest";
import type { DeliveryOutcome } from "../../core/delivery/delivery.ts";
import { ShutdownSignal } from "../../runtime/shutdown-signal.ts";
import { InFlight, type InFlightDeps, type MessageInFlight } from "./open-deliveries.ts";

const failure = () => Promise.reject(new Error("the store is gone"));

/** Ends an attempt. @returns what was called, in order */
async function end(outcome: Promise<DeliveryOutcome>, change: Partial<InFlightDeps> = {}): Promise<string[]> {
  const calls: string[] = [];
  const note = (name: string) => void calls.push(name);
  const shutdown = new ShutdownSignal();
  shutdown.begin();
  const deps = {
    files: { forget: async () => note("forget"), moveToQueue: async () => (note("queue"), true) },
    leases: {
      hold: () => note("hold"),
      settle: async (_: unknown, __: unknown, { kind }: DeliveryOutcome) => note(`settle ${kind}`),
    },
    quota: { watch: () => note("watch") },
    shutdown,
    clock: { now: () => new Date() },
    logger: { info() {}, warn() {}, error: (event: string) => note(event) },
    ...change,
  } as unknown as InFlightDeps;
  const running = {
    message: { id: "m" },
    delivery: { aliasId: "a", lease: { token: "t", until: new Date() } },
    bytes: { wire: null },
    tried: { planned: { id: "d" }, ended: outcome },
    place: { stored: () => note("stored"), release: () => note("release") },
  } as unknown as MessageInFlight;
  await new InFlight(deps).end(running);
  return calls;
}

const taken = Promise.resolve({ kind: "taken" } as DeliveryOutcome);
const unreached = Promise.resolve({ kind: "deferred" } as DeliveryOutcome);

it("a message that was taken is forgotten and its space released", async () => {
  expect(await end(taken)).toEqual(["forget", "release"]);
});

it("a message that was not taken is queued, and its delivery settled there under a held lease", async () => {
  expect(await end(unreached)).toEqual(["queue", "stored", "watch", "hold", "settle deferred", "release"]);
});

it("space is released when the file can't be removed, and when the message can't be queued before a shutdown", async () => {
  const broken = { forget: failure, moveToQueue: failure } as unknown as InFlightDeps["files"];
  expect(await end(taken, { files: broken })).toEqual(["delivery_settle_failed", "release"]);
  expect(await end(unreached, { files: broken })).toEqual(["spool_failed", "delivery_settle_failed", "release"]);
});

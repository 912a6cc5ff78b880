import { closeAfterEach } from "@kauke/testkit/close-after-each";
import { FakeMx, type FakeMxOptions } from "@kauke/testkit/fakes/fake-mx";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  ConnectedExchanges,
  connectedWorkers,
  flood,
  letWorkersKnow,
  OVERSHOOT,
} from "../../core/worker-shares/connected-exchanges.testing.ts";
import { ExchangedShares } from "../../core/worker-shares/exchanged-shares.ts";
import type { WorkerShares } from "../../core/worker-shares/worker-shares.ts";
import { CallSlots, callLimits, type Slot } from "./call-slots.ts";
import { outgoingMail } from "./outgoing-mail.testing.ts";
import { SharedConnections } from "./smtp-client/shared-connections.ts";
import { SmtpPool } from "./smtp-client/smtp-pool.ts";

const WORKERS = 16;

const open = closeAfterEach();
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A worker that opens connections as the pool does. */
function openingWith(shares: WorkerShares) {
  const connections = new SharedConnections(shares);
  return {
    connections,
    open(host: string, provider: string): boolean {
      if (!connections.hasRoomAtHost(host, 20) || !connections.hasRoomAtProvider(provider, 40)) return false;
      connections.count(host, provider, 1);
      return true;
    },
  };
}

const floods = {
  host: { limit: 20, hostOf: () => "192.0.2.1" },
  provider: { limit: 40, hostOf: (request: number) => `192.0.2.${request % 50}` },
};

test.each(Object.entries(floods))("connections to a %s are counted over all workers", (_, { limit, hostOf }) => {
  const { workers } = connectedWorkers(WORKERS, openingWith);
  const opened = flood(workers, 50 * limit, ({ open }, request) => open(hostOf(request), "provider.example"));
  expect(opened).toBeGreaterThanOrEqual(limit);
  // Every worker may have one connection to a host or provider, whatever the others have.
  expect(opened).toBeLessThanOrEqual(limit + OVERSHOOT + WORKERS - 1);
  expect(workers.every(({ open }) => open("198.51.100.1", "elsewhere.example"))).toBe(true);
  // Control: without an exchange each worker has the limit for itself.
  const alone = connectedWorkers(WORKERS, openingWith, false);
  expect(flood(alone.workers, 50 * limit, ({ open }, request) => open(hostOf(request), "provider.example"))).toBe(
    WORKERS * limit,
  );
});

test("a worker that closes a connection leaves the place to workers with fewer", () => {
  const { workers } = connectedWorkers(2, openingWith);
  const [one, other] = workers as [ReturnType<typeof openingWith>, ReturnType<typeof openingWith>];
  for (let opened = 0; opened < 19; opened++) one.open("192.0.2.1", "provider.example");
  other.open("192.0.2.1", "provider.example");
  letWorkersKnow();
  expect([one.open("192.0.2.1", "provider.example"), other.open("192.0.2.1", "provider.example")]).toEqual([
    false,
    false,
  ]);
  one.connections.count("192.0.2.1", "provider.example", -1);
  expect(one.connections.mayReopen("192.0.2.1", 20)).toBe(false);
  letWorkersKnow();
  expect(other.open("192.0.2.1", "provider.example")).toBe(true);
});

test("pools of several workers send everything over the connections of one provider", async () => {
  vi.useRealTimers();
  const all = new ConnectedExchanges(5);
  let [busy, most] = [0, 0];
  const answer: FakeMxOptions["answer"] = async ({ stage }) => {
    if (stage !== "body") return undefined;
    most = Math.max(most, ++busy);
    await new Promise((done) => setTimeout(done, 2));
    busy--;
    return undefined;
  };
  const mxs = [await FakeMx.start({ answer })];
  mxs.push(await FakeMx.start({ answer, host: "127.0.0.2", port: mxs[0]?.port ?? 0 }));
  const pools = Array.from({ length: 3 }, () => {
    const shares = new ExchangedShares(all.join());
    return new SmtpPool({ mailHost: "mail.kauke.test", connectionsPerProvider: 4, messagesPerConnection: 5, shares });
  });
  open.push(...mxs.map((mx) => () => mx.close()), ...pools.map((pool) => () => pool.close()));
  const peer = { port: mxs[0]?.port ?? 0, name: "localhost", tls: "opportunistic", isVerified: false } as const;
  const outcomes: string[] = [];
  let rounds = 0;
  // Connections beyond the limit, opened before the pools know of each other, end after five messages. On a busy machine
  // they know of each other some rounds later.
  do {
    most = 0;
    rounds++;
    const sent = Array.from({ length: 60 }, async (_, index) => {
      const host = `127.0.0.${1 + (index % 2)}`;
      const to = { ...peer, host, login: null, provider: "provider.example" };
      outcomes.push((await pools[index % 3]?.send(to, outgoingMail()))?.outcome.kind ?? "");
    });
    await Promise.all(sent);
  } while (rounds < 3 || (most > 4 + 2 && rounds < 20));
  expect(outcomes).toEqual(Array.from({ length: 60 * rounds }, () => "taken"));
  expect(most).toBeLessThanOrEqual(4 + 2);
});

/** Calls of one account that run at the same time. */
async function callsOf(isConnected: boolean) {
  const { workers, end } = connectedWorkers(4, (shares) => new CallSlots(callLimits, shares), isConnected);
  const slots: Slot[] = [];
  for (let call = 0; call < 200; call++) {
    const taken = workers[call % 4]?.take({ party: "ann", host: `${call}.example` });
    void taken?.then((slot) => slot !== null && slots.push(slot));
    await vi.advanceTimersByTimeAsync(2);
  }
  return { workers, slots, end };
}

test("webhook calls of an account are counted over all workers, and free slots go to those that wait", async () => {
  const { workers, slots } = await callsOf(true);
  const most = callLimits.party;
  expect(slots.length).toBeGreaterThanOrEqual(most);
  expect(slots.length).toBeLessThanOrEqual(most + OVERSHOOT);
  expect(await workers[0]?.take({ party: "bob", host: "bob.example" })).not.toBeNull();
  // Control: without an exchange each worker has the limit for itself.
  expect((await callsOf(false)).slots).toHaveLength(4 * most);
  for (let freed = 0; freed < 150; freed++) {
    slots[freed]?.free();
    await vi.advanceTimersByTimeAsync(2);
  }
  expect(slots.length).toBeGreaterThan(150);
});

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connectedWorkers, flood, letWorkersKnow, OVERSHOOT } from "../worker-shares/connected-exchanges.testing.ts";
import type { WorkerShares } from "../worker-shares/worker-shares.ts";
import { clientParty } from "./client-network.ts";
import { FairPool } from "./fair-pool.ts";

const WORKERS = 4;
const PER_NETWORK = 60;
const PER_BLOCK = 90;
const rules = {
  max: 1000,
  maxPerNetwork: PER_NETWORK,
  maxPerBlock: PER_BLOCK,
  maxPerBlockWhenCrowded: PER_BLOCK,
  ownIdleMs: 10_000,
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const poolWith = (shares: WorkerShares) => new FairPool<symbol>(rules, shares);
const moving = { state: "moving", idleSince: 0 } as const;

/** Opens a connection that moves data, so that no newcomer of its own network may replace it. */
function connect(pool: FairPool<symbol>, address: string): boolean {
  const party = clientParty(address);
  if (pool.makeRoom({ party, now: performance.now(), judge: () => moving }) !== "room") return false;
  pool.put(Symbol(address), party);
  return true;
}

const floods = {
  network: { limit: PER_NETWORK, addressOf: () => "192.0.2.1" },
  block: { limit: PER_BLOCK, addressOf: (request: number) => `192.0.2.${request % 200}` },
};

test.each(Object.entries(floods))("the connections of a %s are counted over all workers", (_, { limit, addressOf }) => {
  const { workers } = connectedWorkers(WORKERS, poolWith);
  const admitted = flood(workers, 5 * limit, (pool, request) => connect(pool, addressOf(request)));
  expect(admitted).toBeGreaterThanOrEqual(limit);
  expect(admitted).toBeLessThanOrEqual(limit + OVERSHOOT);
  expect(workers.every((pool) => connect(pool, "198.51.100.1"))).toBe(true);
});

// Control: without the exchange between workers, each of them admits the whole limit.
test.each(Object.entries(floods))("without an exchange the connections of a %s multiply", (_, { limit, addressOf }) => {
  const { workers } = connectedWorkers(WORKERS, poolWith, false);
  expect(flood(workers, 5 * limit, (pool, request) => connect(pool, addressOf(request)))).toBe(WORKERS * limit);
});

test("the connections of a worker that ended no longer count", () => {
  const { workers, end } = connectedWorkers(WORKERS, poolWith);
  flood(workers, 5 * PER_NETWORK, (pool) => connect(pool, "192.0.2.1"));
  letWorkersKnow();
  const [, second] = workers as [FairPool<symbol>, FairPool<symbol>];
  expect(connect(second, "192.0.2.1")).toBe(false);
  end(0);
  expect(connect(second, "192.0.2.1")).toBe(true);
});

test("a full worker evicts from the block that is the largest over all workers", () => {
  const { workers } = connectedWorkers(2, (shares) => new FairPool<string>({ ...rules, max: 40 }, shares));
  const [one, other] = workers as [FairPool<string>, FairPool<string>];
  for (let at = 0; at < 20; at++) one.put(`spread ${at}`, clientParty("192.0.2.1"));
  for (let at = 0; at < 10; at++) other.put(`spread ${at}`, clientParty("192.0.2.1"));
  for (let at = 0; at < 30; at++) other.put(`here ${at}`, clientParty(`198.51.${at % 2}.1`));
  letWorkersKnow();
  const party = clientParty("203.0.113.1");
  const room = other.makeRoom({ party, now: 0, judge: () => ({ state: "idle", idleSince: 0 }) });
  expect(room).toEqual({ leaves: "spread 0" });
});

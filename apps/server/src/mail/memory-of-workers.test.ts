import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clientParty } from "../core/connection/client-network.ts";
import {
  connectedWorkers,
  flood,
  letWorkersKnow,
  OVERSHOOT,
} from "../core/worker-shares/connected-exchanges.testing.ts";
import type { WorkerShares } from "../core/worker-shares/worker-shares.ts";
import { BackgroundMemory } from "./background-memory.ts";
import { MemoryBudget } from "./memory-budget.ts";
import { ClientBudgets } from "./smtp-server/client-budgets.ts";

const WORKERS = 4;
const CHUNK = 65_536;
/** Size of the whole memory budget, in chunks. */
const CHUNKS = 640;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const budgetWith = (shares: WorkerShares) => new MemoryBudget(CHUNKS * CHUNK, null, shares.within("messages"));

/** A worker's memory budget, with chunks that can be taken one by one and freed when memory is short. */
function holding(shares: WorkerShares) {
  const budget = budgetWith(shares);
  const worker = { budget, chunks: 0, freed: 0, take, free };
  function take(): boolean {
    if (!budget.take(CHUNK)) return false;
    worker.chunks++;
    return true;
  }
  function free(bytes: number): void {
    const count = Math.min(worker.chunks, Math.ceil(bytes / CHUNK));
    worker.chunks -= count;
    worker.freed += count;
    budget.give(count * CHUNK);
  }
  return worker;
}

function withRelief(shares: WorkerShares) {
  const worker = holding(shares);
  worker.budget.onPressure(worker.free);
  return worker;
}

test("the memory for messages is one budget over all workers", () => {
  const { workers } = connectedWorkers(WORKERS, holding);
  const taken = flood(workers, 5 * CHUNKS, (worker) => worker.take());
  expect(taken).toBeGreaterThanOrEqual(CHUNKS);
  expect(taken).toBeLessThanOrEqual(CHUNKS + OVERSHOOT);
});

// Control case: without the exchange of counts between workers the limit is exceeded.
test("without an exchange every worker has a budget of its own", () => {
  const { workers } = connectedWorkers(WORKERS, holding, false);
  expect(flood(workers, 5 * CHUNKS, (worker) => worker.take())).toBe(WORKERS * CHUNKS);
});

test("the memory of a worker that ended is free again", () => {
  const { workers, end } = connectedWorkers(WORKERS, holding);
  flood(workers, 5 * CHUNKS, (worker) => worker.take());
  letWorkersKnow();
  expect(workers[1]?.take()).toBe(false);
  end(0);
  expect(workers[1]?.take()).toBe(true);
});

test("a worker gets memory that another holds: that one frees about what is wanted, and no other frees much", () => {
  const { workers } = connectedWorkers(WORKERS, withRelief);
  const [first, second, ...rest] = workers as ReturnType<typeof withRelief>[];
  const before = (CHUNKS * 7) / 8 - 6;
  for (let chunk = 0; chunk < before; chunk++) first?.take();
  for (const worker of rest) for (let chunk = 0; chunk < 3; chunk++) worker.take();
  letWorkersKnow();
  const taken = flood([second as ReturnType<typeof withRelief>], 200, (worker) => worker.take());
  expect(taken).toBe(200);
  expect(first?.freed).toBeGreaterThan(60);
  expect(workers.reduce((sum, { chunks }) => sum + chunks, 0)).toBeLessThanOrEqual(CHUNKS);
  // Together the workers free about what was taken, plus what was taken before they knew of each other's counts.
  expect(workers.reduce((sum, { freed }) => sum + freed, 0)).toBeLessThanOrEqual(200 + 2 * OVERSHOOT);
  for (const worker of rest) expect(worker.freed).toBeLessThanOrEqual(3);
});

const PER_NETWORK = 80;

function clientsOf(shares: WorkerShares) {
  const budgets = new ClientBudgets({
    budget: budgetWith(shares),
    maxBytesPerAddress: PER_NETWORK * CHUNK,
    maxBytesPerBlock: 2 * PER_NETWORK * CHUNK,
    workerShares: shares.within("mx"),
  });
  const clients = new Map<string, MemoryBudget>();
  return (address: string) => {
    const client = clients.get(address) ?? budgets.enter(clientParty(address));
    clients.set(address, client);
    return client.take(CHUNK);
  };
}

const shares = {
  network: { chunks: PER_NETWORK, addressOf: () => "192.0.2.1" },
  block: { chunks: 2 * PER_NETWORK, addressOf: (request: number) => `192.0.2.${Math.floor(request / WORKERS) % 5}` },
};

test.each(Object.entries(shares))("the memory of a %s is counted over all workers", (_, { chunks, addressOf }) => {
  const { workers } = connectedWorkers(WORKERS, clientsOf);
  const taken = flood(workers, 5 * chunks, (take, request) => take(addressOf(request)));
  expect(taken).toBeGreaterThanOrEqual(chunks);
  expect(taken).toBeLessThanOrEqual(chunks + OVERSHOOT);
  expect(workers.every((take) => take("198.51.100.1"))).toBe(true);
});

// Control case: without the exchange of counts between workers the limit is exceeded.
test("without an exchange the memory of a network multiplies", () => {
  const { workers } = connectedWorkers(WORKERS, clientsOf, false);
  expect(flood(workers, 5 * PER_NETWORK, (take) => take("192.0.2.1"))).toBe(WORKERS * PER_NETWORK);
});

/** A worker's background messages (already answered to the sender), each of one chunk; some get evicted. */
function answered(shares: WorkerShares) {
  const memory = new BackgroundMemory(budgetWith(shares), undefined, undefined, shares.within("answered"));
  const worker = { memory, held: 0, hold };
  function hold(party: string): boolean {
    let isHeld = true;
    worker.held++;
    memory.hold({
      bytes: CHUNK,
      parties: () => [party],
      evict() {
        isHeld = false;
        worker.held--;
      },
    });
    return isHeld;
  }
  return worker;
}

test("messages of one account that were answered may use a quarter of the memory over all workers", () => {
  const { workers } = connectedWorkers(WORKERS, answered);
  const held = flood(workers, CHUNKS, (worker) => worker.hold("of ann"));
  expect(held).toBeGreaterThanOrEqual(CHUNKS / 4);
  expect(held).toBeLessThanOrEqual(CHUNKS / 4 + OVERSHOOT);
  expect(workers.every((worker) => worker.hold("of bob"))).toBe(true);
});

test("a large message of an account whose quarter is used up elsewhere is dropped from memory", () => {
  const { workers } = connectedWorkers(WORKERS, answered);
  for (let chunk = 0; chunk < CHUNKS / 4; chunk++) workers[chunk % 2]?.hold("of ann");
  letWorkersKnow();
  expect(workers[2]?.hold("of ann")).toBe(false);
  expect(workers[2]?.hold("of bob")).toBe(true);
});

test("messages that were answered may use half of the memory over all workers", () => {
  const { workers } = connectedWorkers(WORKERS, answered);
  flood(workers, 2 * CHUNKS, (worker, request) => worker.hold(`of ${request % 50}`));
  letWorkersKnow();
  const held = workers.reduce((sum, worker) => sum + worker.held, 0);
  expect(held).toBeLessThanOrEqual(CHUNKS / 2 + OVERSHOOT);
  expect(held).toBeGreaterThan(CHUNKS / 4);
});

test("the owner may load a message although workers hold all memory for answered messages, which they then free", () => {
  const { workers } = connectedWorkers(WORKERS, answered);
  const [owner, ...others] = workers as ReturnType<typeof answered>[];
  for (let chunk = 0; chunk < CHUNKS / 2; chunk++) others[chunk % 3]?.hold(`of ${chunk % 50}`);
  letWorkersKnow();
  const before = others.reduce((sum, { held }) => sum + held, 0);
  expect(owner?.memory.take({ bytes: 40 * CHUNK, parties: () => ["of bob"], evict() {} })).not.toBeNull();
  letWorkersKnow();
  const freed = before - others.reduce((sum, { held }) => sum + held, 0);
  expect(freed).toBeGreaterThanOrEqual(35);
  expect(freed).toBeLessThanOrEqual(45);
});

// Control case: without the exchange of counts between workers the limit is exceeded.
test("without an exchange the messages of an account that were answered multiply", () => {
  const { workers } = connectedWorkers(WORKERS, answered, false);
  expect(flood(workers, 2 * CHUNKS, (worker) => worker.hold("of ann"))).toBe(CHUNKS);
});

import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { BackgroundMemory, chooseEvicted, MemoryBudget, type OperatorMail } from "./bytes.ts";

test("bytes that do not fit are not counted in the budget", () => {
  const budget = new MemoryBudget(100);
  expect(budget.take(60)).toBe(true);
  expect(budget.take(41)).toBe(false);
  expect(budget.usedBytes).toBe(60);
  budget.give(60);
  expect(budget.take(100)).toBe(true);
});

let now: number;
let budget: MemoryBudget;
let memory: BackgroundMemory;
let gone: string[];
beforeEach(() => {
  now = 0;
  budget = new MemoryBudget(80);
  memory = new BackgroundMemory(budget, undefined, () => now);
  gone = [];
});

const use = (name: string, bytes: number, parties = [name.slice(0, 1)]) => ({
  bytes,
  parties: () => parties,
  evict: () => void gone.push(name),
});

test("the newest message of an account over a quarter of the budget is evicted, and no other", () => {
  memory.hold(use("a1", 15));
  memory.hold(use("a2", 15));
  memory.hold(use("b1", 15));
  expect(gone).toEqual(["a2"]);
  expect([memory.usedBytes, budget.usedBytes]).toEqual([30, 30]);
});

test("a message larger than a share is admitted when its account has no other", () => {
  const release = memory.hold(use("a1", 30));
  memory.hold(use("a2", 1));
  expect(gone).toEqual(["a2"]);
  release();
  release();
  expect(budget.usedBytes).toBe(0);
});

test("many accounts that send to one destination share a single share", () => {
  for (const name of ["a1", "b1", "c1"]) memory.hold(use(name, 8, [`of ${name}`, "to slow.example"]));
  expect(gone).toEqual(["c1"]);
});

test("over half of the budget, the party that used most for longest is evicted, not the newest", () => {
  memory.hold(use("a1", 14));
  now = 5;
  memory.hold(use("b1", 15));
  now = 10;
  memory.hold(use("c1", 15));
  expect(gone).toEqual(["a1"]);
  expect(budget.usedBytes).toBe(30);
});

test("loading a message is refused over its own share, and evicts others when the total is used up", () => {
  expect(memory.take(use("a1", 15))).not.toBeNull();
  expect(memory.take(use("a2", 15))).toBeNull();
  now = 5;
  expect(memory.take(use("b1", 15))).not.toBeNull();
  now = 10;
  const release = memory.take(use("c1", 15));
  expect(gone).toEqual(["a1"]);
  release?.();
  expect(budget.usedBytes).toBe(15);
});

test("when new mail needs memory, background messages are evicted at once, largest users first", () => {
  memory.hold(use("a1", 15));
  now = 5;
  memory.hold(use("b1", 15));
  now = 10;
  expect(budget.take(30)).toBe(true);
  expect(gone).toEqual([]);
  // Seventy bytes are seven eighths of the budget: beyond that, background messages are evicted.
  expect(budget.take(15)).toBe(true);
  expect(gone).toEqual(["a1"]);
  expect(budget.usedBytes).toBe(60);
});

test("half of the budget always stays available to new mail", () => {
  const step = fc.record({
    party: fc.integer({ min: 0, max: 5 }),
    bytes: fc.integer({ min: 1, max: 20 }),
    does: fc.constantFrom("hold", "take", "release"),
    ms: fc.integer({ min: 0, max: 3 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let clock = 0;
      const whole = new MemoryBudget(80);
      const shared = new BackgroundMemory(whole, undefined, () => clock);
      const held = new Map<number, { release: (() => void) | null; bytes: number }>();
      for (const [index, { party, bytes, does, ms }] of steps.entries()) {
        clock += ms;
        const one = { bytes, parties: () => [`${party}`], evict: () => void held.delete(index) };
        if (does === "release") {
          const [first] = held;
          first?.[1].release?.();
          if (first !== undefined) held.delete(first[0]);
        } else {
          held.set(index, { release: null, bytes });
          const release = shared[does](one);
          const entry = held.get(index);
          if (release === null) held.delete(index);
          else if (entry !== undefined) entry.release = release;
        }
        const sum = [...held.values()].reduce((total, it) => total + it.bytes, 0);
        expect(shared.usedBytes).toBe(sum);
        expect(whole.usedBytes).toBe(sum);
        expect(sum).toBeLessThanOrEqual(40);
      }
    }),
  );
});

const most = { messages: 10, bytes: 1000 };
const mail = (id: string, block: string, more: Partial<OperatorMail<string>> = {}): OperatorMail<string> => {
  return { id, sizeBytes: 10, block, network: `${block}.1`, ...more };
};

test("nothing is evicted while everything fits", () => {
  expect(chooseEvicted([mail("a", "1"), mail("b", "1")], most)).toEqual([]);
});

test("the oldest message of the largest block is evicted; blocks with little mail keep even older messages", () => {
  const quiet = ["q1", "q2"].map((id) => mail(id, id));
  const flood = Array.from({ length: 11 }, (_, n) => mail(`f${n}`, "9"));
  expect(chooseEvicted([...quiet, ...flood], most)).toEqual(["f0", "f1", "f2"]);
});

test("a few large messages count as much as many small ones", () => {
  const small = Array.from({ length: 6 }, (_, n) => mail(`s${n}`, "1"));
  const large = [mail("l1", "2", { sizeBytes: 500 }), mail("l2", "2", { sizeBytes: 500 })];
  expect(chooseEvicted([...small, ...large], most)).toEqual(["l1"]);
});

test("within a block, the network with the most mail loses a message", () => {
  const neighbour = mail("n", "1", { network: "1.7" });
  const flood = Array.from({ length: 10 }, (_, n) => mail(`f${n}`, "1"));
  expect(chooseEvicted([neighbour, ...flood], most)).toEqual(["f0"]);
});

test("a new message larger than all others together is evicted itself", () => {
  expect(chooseEvicted([mail("a", "1"), mail("new", "2", { sizeBytes: 1001 })], most)).toEqual(["new"]);
});

import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { BackgroundMemory } from "./background-memory.ts";
import { MemoryBudget } from "./memory-budget.ts";

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
  giveWay: () => void gone.push(name),
});

test("an account over a quarter of the budget gives way with its newest message, and nobody else does", () => {
  memory.hold(use("a1", 15));
  memory.hold(use("a2", 15));
  memory.hold(use("b1", 15));
  expect(gone).toEqual(["a2"]);
  expect([memory.usedBytes, budget.usedBytes]).toEqual([30, 30]);
});

test("a message that is larger than a share is held when its account has no other", () => {
  const release = memory.hold(use("a1", 30));
  memory.hold(use("a2", 1));
  expect(gone).toEqual(["a2"]);
  release();
  release();
  expect(budget.usedBytes).toBe(0);
});

test("many accounts to one destination share what one account has", () => {
  for (const name of ["a1", "b1", "c1"]) memory.hold(use(name, 8, [`of ${name}`, "to slow.example"]));
  expect(gone).toEqual(["c1"]);
});

test("beyond half of the budget the party goes that held most for the longest time, not the newcomer", () => {
  memory.hold(use("a1", 14));
  now = 5;
  memory.hold(use("b1", 15));
  now = 10;
  memory.hold(use("c1", 15));
  expect(gone).toEqual(["a1"]);
  expect(budget.usedBytes).toBe(30);
});

test("what is to be brought into memory waits for its own share, and makes room among the others", () => {
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

test("when new mail needs the room, what is on disk already gives way at once, the worst first", () => {
  memory.hold(use("a1", 15));
  now = 5;
  memory.hold(use("b1", 15));
  now = 10;
  expect(budget.take(30)).toBe(true);
  expect(gone).toEqual([]);
  // Seventy bytes are seven eighths: the next ones come out of the background.
  expect(budget.take(15)).toBe(true);
  expect(gone).toEqual(["a1"]);
  expect(budget.usedBytes).toBe(60);
});

test("whatever comes and goes, half of the budget stays for new mail", () => {
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
        const one = { bytes, parties: () => [`${party}`], giveWay: () => void held.delete(index) };
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

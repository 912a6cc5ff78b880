import fc from "fast-check";
import { expect, test } from "vitest";
import { FairLine } from "./fair-line.ts";

test("parties are served in turn, each in its own order", () => {
  const line = new FairLine<string>({ all: 10, party: 10 });
  for (const item of ["a1", "a2", "a3", "b1", "c1", "c2"]) line.push(item.slice(0, 1), item);
  const served = Array.from({ length: 7 }, () => line.shift());
  expect(served).toEqual(["a1", "b1", "c1", "a2", "c2", "a3", undefined]);
});

test("an item that may not start delays neither its own party nor the others", () => {
  const line = new FairLine<string>({ all: 10, party: 10 });
  for (const item of ["a1", "a2", "b1"]) line.push(item.slice(0, 1), item);
  const but = (held: string) => (item: string) => (item === held ? Number.POSITIVE_INFINITY : 0);
  expect(line.shiftLeast(but("a1"))).toBe("a2");
  expect(line.shiftLeast(but(""))).toBe("b1");
  expect(line.shiftLeast(but("a1"))).toBeUndefined();
  expect(line.shiftLeast(but(""))).toBe("a1");
});

test("the party with the least weight is next, and equals are served in turn", () => {
  const line = new FairLine<string>({ all: 10, party: 10 });
  for (const item of ["a1", "a2", "b1", "b2", "c1"]) line.push(item.slice(0, 1), item);
  const weigh = (item: string) => (item.startsWith("b") ? 2 : 1);
  expect(Array.from({ length: 6 }, () => line.shiftLeast(weigh))).toEqual(["a1", "c1", "a2", "b1", "b2", undefined]);
});

test("a party's share is bounded, and a full queue drops the newest item of the longest party", () => {
  const line = new FairLine<string>({ all: 4, party: 3 });
  expect(["a1", "a2", "a3", "a4"].map((it) => line.push("a", it))).toEqual([null, null, null, "a4"]);
  expect(line.push("b", "b1")).toBeNull();
  expect(line.push("c", "c1")).toBe("a3");
  expect(line.push("d", "d1")).toBe("a2");
  // Each party has one item, so the new party's item is the one dropped.
  expect(line.push("e", "e1")).toBe("e1");
  expect(line.clear()).toEqual(["a1", "b1", "c1", "d1"]);
  expect(line.size).toBe(0);
});

test("the size is always the number of items, and each item leaves exactly once", () => {
  const step = fc.record({ party: fc.integer({ min: 0, max: 4 }), does: fc.constantFrom("push", "shift", "delete") });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const line = new FairLine<number>({ all: 7, party: 3 });
      const inside = new Map<number, string>();
      for (const [index, { party, does }] of steps.entries()) {
        const name = String(party);
        if (does === "push") {
          inside.set(index, name);
          const out = line.push(name, index);
          if (out !== null) expect(inside.delete(out)).toBe(true);
        } else if (does === "shift") {
          const out = line.shift();
          if (out !== undefined) expect(inside.delete(out)).toBe(true);
        } else {
          const [first] = [...inside].find(([, owner]) => owner === name) ?? [-1];
          expect(line.delete(name, first)).toBe(inside.delete(first));
        }
        expect(line.size).toBe(inside.size);
        expect(line.size).toBeLessThanOrEqual(7);
      }
      expect(new Set(line.clear())).toEqual(new Set(inside.keys()));
    }),
  );
});

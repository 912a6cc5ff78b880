import fc from "fast-check";
import { expect, it } from "vitest";
import { FairMap, type Linked, LinkedQueue } from "./fair-map.ts";

it("a party with very many entries evicts its own and nobody else's", () => {
  const map = new FairMap<string>({ all: 32_000_000 });
  const others = Array.from({ length: 1000 }, (_, n) => `other${n}`);
  for (const name of others) map.set(name, name, { party: `party of ${name}`, size: 1500 });
  for (let n = 0; n < 60_000; n += 1) map.set(`many${n}`, "", { party: "busy party", size: 1500 });
  expect(map.size).toBeLessThanOrEqual(32_000_000);
  expect(map.count).toBeGreaterThan(15_000);
  expect(others.filter((name) => map.get(name) !== name)).toEqual([]);
});

it("within a party the entries that are used stay when others are added once", () => {
  const map = new FairMap<string>({ all: 70 });
  map.set("used", "used", { party: "party", size: 1 });
  for (let n = 0; n < 10_000; n += 1) {
    expect(map.get("used")).toBe("used");
    map.set(`once${n}`, "", { party: "party", size: 1 });
  }
});

it("an expired entry is not found, and leaves the map whether it is looked up again or not", () => {
  let now = 0;
  const deleted: string[] = [];
  const map = new FairMap<string>({ all: 10, nowMs: () => now, onDelete: (value) => deleted.push(value) });
  map.set("short", "short", { party: "a", size: 1, until: 1000 });
  map.set("long", "long", { party: "a", size: 1 });
  now = 999;
  expect(map.get("short")).toBe("short");
  now = 1000;
  expect(map.get("short")).toBeUndefined();
  now = 60_000;
  map.set("new", "new", { party: "b", size: 1 });
  expect(deleted).toEqual(["short"]);
  expect(map.get("long")).toBe("long");
});

it("after any sequence of steps the bounds hold, and what is found was added and not deleted", () => {
  const name = fc.constantFrom(..."abcdefgh");
  const partyOf = (key: string) => (key < "d" ? "1" : key);
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ add: name, size: fc.integer({ min: 1, max: 3000 }) }) },
    { weight: 2, arbitrary: fc.record({ use: name }) },
    { weight: 2, arbitrary: fc.record({ drop: name, all: fc.boolean() }) },
    { weight: 1, arbitrary: fc.constant({ clear: true }) },
  );
  const property = fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
    const left = new Set<object>();
    const map = new FairMap<{ size: number }>({ all: 8000, party: 4000, onDelete: (value) => left.add(value) });
    const model = new Map<string, { size: number }>();
    for (const taken of steps) {
      if ("add" in taken) {
        const value = { size: taken.size };
        map.set(taken.add, value, { party: partyOf(taken.add), size: taken.size });
        model.set(taken.add, value);
        expect(map.get(taken.add)).toBe(value);
      } else if ("use" in taken) {
        map.get(taken.use);
      } else if ("drop" in taken) {
        if (taken.all) map.deleteParty(partyOf(taken.drop));
        else map.delete(taken.drop);
        for (const key of model.keys())
          if (taken.all ? partyOf(key) === partyOf(taken.drop) : key === taken.drop) model.delete(key);
      } else {
        map.clear();
        model.clear();
      }
      const found = [..."abcdefgh"].flatMap((key) => [[key, map.get(key)] as const]).filter(([, value]) => value);
      for (const [key, value] of found) expect(value).toBe(model.get(key));
      expect(found.filter(([, value]) => left.has(value ?? {}))).toEqual([]);
      const sizes = (keys: typeof found) => keys.reduce((sum, [, value]) => sum + (value?.size ?? 0), 0);
      expect(map.count).toBe(found.length);
      expect(map.size).toBe(sizes(found));
      expect(map.size).toBeLessThanOrEqual(8000);
      for (const key of "abcdefgh") {
        const own = found.filter(([other]) => partyOf(other) === partyOf(key));
        expect(map.sizeOf(partyOf(key))).toBe(sizes(own));
        expect(sizes(own)).toBeLessThanOrEqual(4000);
      }
    }
  });
  fc.assert(property, { numRuns: 300 });
});

interface Item extends Linked<Item> {
  name: number;
}

function namesOf(queue: LinkedQueue<Item>): number[] {
  const names = [];
  for (let item = queue.first; item !== null; item = item.next) names.push(item.name);
  return names;
}

it("keeps the order in which items came, whichever are removed", () => {
  const property = fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(9))), (steps) => {
    const queue = new LinkedQueue<Item>();
    const inside: Item[] = [];
    for (const [isAdded, place] of steps) {
      const item = { name: inside.length + place, previous: null, next: null };
      const removed = inside[place];
      if (isAdded) {
        queue.push(item);
        inside.push(item);
      } else if (removed !== undefined) {
        queue.remove(removed);
        inside.splice(place, 1);
      }
      expect(namesOf(queue)).toEqual(inside.map(({ name }) => name));
    }
    // Both ends are right: everything can be removed and added again.
    for (const item of inside.splice(0)) queue.remove(item);
    expect(queue.first).toBeNull();
    const last = { name: 1, previous: null, next: null };
    queue.push(last);
    expect(namesOf(queue)).toEqual([1]);
  });
  fc.assert(property, { numRuns: 300 });
});

import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { ShortLivedMap, ShortLivedSet } from "./short-lived.ts";

/** Additions (true) and deletions of members; enough of them that Set and Map are replaced several times. */
const changes = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 40 })), { minLength: 200, maxLength: 600 });

describe("for any additions and deletions", () => {
  it("the set has the members of a Set, in the same order", () => {
    fc.assert(
      fc.property(changes, (list) => {
        const [ours, native] = [new ShortLivedSet<number>(), new Set<number>()];
        for (const [isAdded, member] of list) {
          if (isAdded) {
            ours.add(member);
            native.add(member);
          } else expect(ours.delete(member)).toBe(native.delete(member));
          expect([ours.size, ours.has(member)]).toEqual([native.size, native.has(member)]);
        }
        expect([...ours]).toEqual([...native]);
        ours.clear();
        expect([ours.size, ...ours]).toEqual([0]);
      }),
    );
  });

  it("the map has the entries of a Map, in the same order", () => {
    fc.assert(
      fc.property(changes, (list) => {
        const [ours, native] = [new ShortLivedMap<number, string>(), new Map<number, string>()];
        for (const [index, [isAdded, key]] of list.entries()) {
          if (isAdded) {
            ours.set(key, `value ${index}`);
            native.set(key, `value ${index}`);
          } else expect(ours.delete(key)).toBe(native.delete(key));
          expect([ours.size, ours.has(key), ours.get(key)]).toEqual([native.size, native.has(key), native.get(key)]);
        }
        expect([...ours]).toEqual([...native]);
        expect([[...ours.keys()], [...ours.values()]]).toEqual([[...native.keys()], [...native.values()]]);
        ours.clear();
        expect([ours.size, ...ours]).toEqual([0]);
      }),
    );
  });
});

/**
 * Source of a module that adds members and soon deletes them, while the first table of the set is in the old
 * generation; prints by how many bytes the old generation grew. Only young objects are collected meanwhile.
 */
const churn = (set: string) => `
  import { getHeapSpaceStatistics } from "node:v8";
  import { ShortLivedSet } from ${JSON.stringify(new URL("./short-lived.ts", import.meta.url).href)};
  const old = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space").space_used_size;
  const members = (globalThis.members = new ${set}());
  const collectYoung = () => gc({ type: "minor" });
  members.add({});
  for (let n = 0; n < 3; n++) collectYoung();
  const before = old();
  const recent = [];
  for (let n = 0; n < 20_000; n++) {
    const member = { number: n, parts: [n, n + 1, n + 2, n + 3] };
    members.add(member);
    recent.push(member);
    if (recent.length > 10) members.delete(recent.shift());
    if (n % 1000 === 0) collectYoung();
  }
  collectYoung();
  console.log(old() - before);
`;

function growthWith(set: string): number {
  const options = ["--expose-gc", "--input-type=module", "--eval", churn(set)];
  return Number(spawnSync(process.execPath, options, { encoding: "utf8" }).stdout);
}

test("deleted members don't stay in the old generation, as they do with a Set", () => {
  const native = growthWith("Set");
  const ours = growthWith("ShortLivedSet");
  expect(native).toBeGreaterThan(1024 * 1024);
  expect(ours).toBeLessThan(native / 4);
});

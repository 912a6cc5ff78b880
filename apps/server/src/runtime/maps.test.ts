import { expect, test } from "vitest";
import { BoundedMap } from "./maps.ts";

const keysOf = (map: Map<string, number>) => [...map.keys()].join("");

function filled(...keys: string[]): BoundedMap<string, number> {
  const map = new BoundedMap<string, number>(3);
  for (const key of keys) map.set(key, 1);
  return map;
}

test("a new entry evicts the oldest", () => {
  expect(keysOf(filled("a", "b", "c"))).toBe("abc");
  expect(keysOf(filled("a", "b", "c", "d"))).toBe("bcd");
});

test("setting an existing key makes it the newest and evicts nothing", () => {
  expect(keysOf(filled("a", "b", "c", "a"))).toBe("bca");
  expect(keysOf(filled("a", "b", "c", "a", "d"))).toBe("cad");
  expect(filled("a", "b", "a").set("a", 7).get("a")).toBe(7);
});

test("a deleted entry frees its place", () => {
  const map = filled("a", "b", "c");
  map.delete("b");
  expect(keysOf(map.set("d", 1))).toBe("acd");
});

test("an undefined key is evicted like any other", () => {
  const map = new BoundedMap<string | undefined, number>(1).set(undefined, 1);
  expect([...map.set("a", 2).keys()]).toEqual(["a"]);
});

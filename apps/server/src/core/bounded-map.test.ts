import { expect, test } from "vitest";
import { BoundedMap } from "./bounded-map.ts";

const keysOf = (map: Map<string, number>) => [...map.keys()].join("");

function filled(...keys: string[]): BoundedMap<string, number> {
  const map = new BoundedMap<string, number>(3);
  for (const key of keys) map.set(key, 1);
  return map;
}

test("the oldest entry makes room for a new one", () => {
  expect(keysOf(filled("a", "b", "c"))).toBe("abc");
  expect(keysOf(filled("a", "b", "c", "d"))).toBe("bcd");
});

test("an entry that is set again is the newest, and nothing makes room for it", () => {
  expect(keysOf(filled("a", "b", "c", "a"))).toBe("bca");
  expect(keysOf(filled("a", "b", "c", "a", "d"))).toBe("cad");
  expect(filled("a", "b", "a").set("a", 7).get("a")).toBe(7);
});

test("an entry that is deleted leaves its room", () => {
  const map = filled("a", "b", "c");
  map.delete("b");
  expect(keysOf(map.set("d", 1))).toBe("acd");
});

test("a key that is undefined makes room like any other", () => {
  const map = new BoundedMap<string | undefined, number>(1).set(undefined, 1);
  expect([...map.set("a", 2).keys()]).toEqual(["a"]);
});
